/** Two engines talk to each other through cuts, stalls and small windows: what goes in on one side comes out on the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSeededRandom } from '../../../../src/base/index.js';
import type { Random } from '../../../../src/base/index.js';
import { DEFAULT_HTTP2_SETTINGS, H2_CANCEL, Http2Connection } from '../../../../src/net/http2/index.js';
import type {
  Http2ConnectionEvents,
  Http2Settings,
  Http2StreamEvents,
  Http2StreamHandle,
} from '../../../../src/net/http2/index.js';
import { lendChunk, takeOutput } from '../../../support/engine.js';
import { REQUEST, RESPONSE } from '../../../support/peer.js';

interface Side {
  engine: Http2Connection;
  /** Bytes got, by stream id. */
  readonly got: Map<number, Buffer[]>;
  readonly ended: Set<number>;
  readonly resets: Map<number, number>;
  isWritable: boolean;
}

/** A pair of engines and the bytes between them, delivered in random pieces. */
class Pair {
  readonly client: Side;
  readonly server: Side;
  readonly sent = new Map<number, Buffer[]>();
  readonly echoes = new Map<number, Http2StreamHandle>();
  private readonly random: Random;
  private toServer: Buffer = Buffer.alloc(0);
  private toClient: Buffer = Buffer.alloc(0);

  constructor(seed: number, settings: Http2Settings) {
    this.random = createSeededRandom(seed);
    this.client = this.createSide('client', settings);
    this.server = this.createSide('server', settings);
  }

  /** Moves some bytes each way; true if any moved. */
  step(): boolean {
    if (this.random() < 0.1) this.toggle(this.client);
    if (this.random() < 0.1) this.toggle(this.server);
    this.toServer = Buffer.concat([this.toServer, takeOutput(this.client.engine)]);
    this.toClient = Buffer.concat([this.toClient, takeOutput(this.server.engine)]);
    const before = this.toServer.length + this.toClient.length;
    this.toServer = this.deliver(this.toServer, this.server.engine);
    this.toClient = this.deliver(this.toClient, this.client.engine);
    return before > 0;
  }

  /** Runs until nothing moves, with both sockets open. */
  settle(): void {
    for (const side of [this.client, this.server]) {
      side.isWritable = true;
      side.engine.setWritable(true);
    }
    let quiet = 0;
    for (let steps = 0; quiet < 3 && steps < 100_000; steps++) {
      quiet = this.step() ? 0 : quiet + 1;
      for (const side of [this.client, this.server]) side.engine.setWritable(true);
    }
    assert.equal(quiet, 3, 'the exchange comes to rest');
  }

  private toggle(side: Side): void {
    side.isWritable = !side.isWritable;
    side.engine.setWritable(side.isWritable);
  }

  private deliver(bytes: Buffer, engine: Http2Connection): Buffer {
    if (bytes.length === 0) return bytes;
    const count = 1 + Math.floor(this.random() * Math.min(bytes.length, this.random() < 0.5 ? 20 : 70_000));
    lendChunk(engine, bytes.subarray(0, count));
    return bytes.subarray(count);
  }

  private createSide(role: 'client' | 'server', settings: Http2Settings): Side {
    const side: Omit<Side, 'engine'> = { got: new Map(), ended: new Set(), resets: new Map(), isWritable: true };
    const streamEvents: Http2StreamEvents = {
      onHeaders: (stream, _fields, isEnd) => this.onEnd(role, stream, isEnd),
      onData: (stream, slice, isEnd) => {
        side.got.set(stream.id, [...(side.got.get(stream.id) ?? []), Buffer.from(slice)]);
        if (role === 'server') stream.sendData([Uint8Array.from(slice)], slice.length, false);
        stream.returnCredit(slice.length);
        this.onEnd(role, stream, isEnd);
      },
      onReset: (stream, code) => side.resets.set(stream.id, code),
      onDrain: () => undefined,
    };
    const events: Http2ConnectionEvents = {
      onStream: (stream, _fields, isEnd) => {
        stream.events = streamEvents;
        this.echoes.set(stream.id, stream);
        stream.sendHeaders(RESPONSE, false);
        this.onEnd(role, stream, isEnd);
      },
      onSettings: () => undefined,
      onGoAway: () => undefined,
      onStreamClosed: () => undefined,
    };
    const engine = new Http2Connection(role, settings, events, {
      onOutput: () => undefined,
      onFinished: () => undefined,
    });
    return Object.assign(side, { engine, events: streamEvents });
  }

  private onEnd(role: 'client' | 'server', stream: Http2StreamHandle, isEnd: boolean): void {
    if (!isEnd) return;
    this[role].ended.add(stream.id);
    if (role === 'server') stream.sendHeaders(['grpc-status', '0'], true);
  }

  open(): Http2StreamHandle {
    const events = (this.client as Side & { events: Http2StreamEvents }).events;
    const stream = this.client.engine.openStream(REQUEST, false, events, null);
    assert.ok(stream !== null);
    this.sent.set(stream.id, []);
    return stream;
  }
}

const settings = fc.record({
  streamWindowBytes: fc.constantFrom(1, 50, 1000, 65535, 1 << 20),
  connectionWindowBytes: fc.constantFrom(65535, 1 << 20),
  maxFrameBytes: fc.constantFrom(16384, 20_000, 1 << 20),
  headerTableBytes: fc.constantFrom(0, 100, 4096),
});
const action = fc.oneof(
  fc.record({ kind: fc.constant('send' as const), stream: fc.nat(4), size: fc.integer({ min: 0, max: 4000 }) }),
  fc.record({ kind: fc.constant('end' as const), stream: fc.nat(4), size: fc.constant(0) }),
  fc.record({ kind: fc.constant('reset' as const), stream: fc.nat(4), size: fc.constant(0) }),
  fc.record({ kind: fc.constant('step' as const), stream: fc.nat(4), size: fc.nat(20) }),
);

test('every byte of every stream comes back, in order, whatever the windows, cuts and stalls', () => {
  fc.assert(
    fc.property(fc.integer(), settings, fc.array(action, { maxLength: 60 }), (seed, changed, actions) => {
      const pair = new Pair(seed, { ...DEFAULT_HTTP2_SETTINGS, ...changed });
      const streams = Array.from({ length: 5 }, () => pair.open());
      const reset = new Set<number>();
      let fill = 0;
      for (const { kind, stream, size } of actions) {
        const handle = streams[stream]!;
        if (kind === 'step') for (let count = 0; count < size; count++) pair.step();
        if (kind === 'end') handle.sendData([], 0, true);
        if (kind === 'reset') {
          handle.reset(H2_CANCEL);
          reset.add(handle.id);
        }
        if (kind === 'send' && !handle.isClosed) {
          const payload = Buffer.alloc(size, fill++);
          pair.sent.get(handle.id)!.push(payload);
          handle.sendData([payload], size, false);
        }
      }
      for (const stream of streams) stream.sendData([], 0, true);
      pair.settle();
      for (const stream of streams) {
        if (reset.has(stream.id)) continue;
        const sent = Buffer.concat(pair.sent.get(stream.id)!);
        assert.deepEqual(Buffer.concat(pair.server.got.get(stream.id) ?? []), sent);
        assert.deepEqual(Buffer.concat(pair.client.got.get(stream.id) ?? []), sent);
        assert.ok(pair.client.ended.has(stream.id) && pair.server.ended.has(stream.id));
      }
      assert.equal(pair.client.engine.openStreams, 0);
      assert.equal(pair.server.engine.openStreams, 0);
      assert.equal(pair.client.engine.isClosed || pair.server.engine.isClosed, false);
    }),
    { numRuns: 60 },
  );
});
