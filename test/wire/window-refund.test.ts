/**
 * Nothing that counts against the connection's window may be lost to it: not padding, not what comes late for a stream
 * that was reset, not the rest of a frame in whose middle it was. A peer that honours windows would wait for ever.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { H2_CANCEL } from '../../src/net/http2/index.js';
import { frame, REQUEST, ScriptedPeer, u32, type Split } from '../support/peer.js';

const WINDOW = 65_535;
const BODY_BYTES = 10_000;
const PADDING_BYTES = 200;
/** Three windows and more. */
const ROUNDS = 25;

/** A DATA frame with padding, which counts with its length byte. */
function paddedData(streamId: number): Buffer {
  const payload = Buffer.concat([Buffer.from([PADDING_BYTES]), Buffer.alloc(BODY_BYTES), Buffer.alloc(PADDING_BYTES)]);
  return frame('DATA', 8, streamId, payload);
}

/** Three windows one byte at a time would take seconds. */
function testCuts(name: string, script: (split: Split) => void): void {
  for (const split of ['whole', 'random'] as const) test(`${name} (${split})`, () => script(split));
}

class HonestPeer extends ScriptedPeer {
  private window = WINDOW;

  constructor(split: Split) {
    const settings = { connectionWindowBytes: WINDOW, streamWindowBytes: WINDOW };
    super('server', { split, settings });
    this.handshake();
  }

  /** Sends DATA if the connection's window allows it. */
  sendData(data: Buffer): void {
    this.takeCredit();
    this.window -= data.length - 9;
    assert.ok(this.window >= 0, 'the window is used up, and nothing gives it back');
    this.send(data);
  }

  private takeCredit(): void {
    for (const seen of this.frames()) {
      if (seen.name === 'WINDOW_UPDATE' && seen.streamId === 0) this.window += seen.payload.readUInt32BE(0);
      assert.notEqual(seen.name, 'GOAWAY');
    }
  }
}

describe('the connection window comes back', () => {
  testCuts('for padding', (split) => {
    const peer = new HonestPeer(split);
    for (let round = 0; round < ROUNDS; round++) {
      const id = 2 * round + 1;
      peer.send(peer.headers(id, REQUEST, false));
      peer.sendData(paddedData(id));
      peer.send(frame('RST_STREAM', 0, id, u32(H2_CANCEL)));
    }
  });

  testCuts('for streams whose receiver never returns credit', (split) => {
    const peer = new HonestPeer(split);
    for (let round = 0; round < ROUNDS; round++) {
      peer.send(peer.headers(2 * round + 1, REQUEST, false));
      peer.sendData(frame('DATA', 0, 2 * round + 1, Buffer.alloc(BODY_BYTES)));
    }
  });

  testCuts('for late DATA of a stream we reset', (split) => {
    const peer = new HonestPeer(split);
    peer.send(peer.headers(1, REQUEST, false));
    peer.streams.get(1)!.reset(H2_CANCEL);
    for (let round = 0; round < ROUNDS; round++) peer.sendData(paddedData(1));
  });

  testCuts('for the rest of a frame in whose middle the stream was reset', (split) => {
    const peer = new HonestPeer(split);
    for (let round = 0; round < ROUNDS; round++) {
      const id = 2 * round + 1;
      peer.send(peer.headers(id, REQUEST, false));
      const data = paddedData(id);
      peer.sendData(data.subarray(0, 1_000));
      peer.streams.get(id)!.reset(H2_CANCEL);
      peer.send(data.subarray(1_000));
    }
  });
});
