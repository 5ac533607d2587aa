/** The judge's own judgement, on calls made by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedClock } from '../../../../src/base/index.js';
import type { ServerCall } from '../../../../src/net/grpc/contract.js';
import { IdentityEncoder, nodeId } from '../../../../src/lab/fleet/identity.js';
import { buildTemplate, encodeLogs, ENVELOPE_BYTES } from '../../../../src/lab/fleet/message-template.js';
import { LatencyHistogram } from '../../../../src/lab/latency-histogram.js';
import { AlsService } from '../../../../src/lab/oap/als-service.js';
import { AnswerDesk } from '../../../../src/lab/oap/answer-desk.js';
import { OapBooks } from '../../../../src/lab/oap/oap-books.js';
import { createOapCounters } from '../../../../src/lab/oap/oap-counters.js';
import { DEFAULT_OAP_OPTIONS, type OapOptions } from '../../../../src/lab/oap/options.js';
import { SlicedMessage } from '../../../../src/net/grpc/sliced-message.js';

class RecordedCall implements ServerCall {
  readonly path = '/test';
  readonly metadata: readonly string[];
  readonly peer = { host: '127.0.0.1', port: 1, isTls: false };
  readonly deadlineMs = Infinity;
  isEnded = false;
  readonly unsentBytes = 0;
  state: unknown = null;
  status = -1;
  replies = 0;
  pauses = 0;

  constructor(metadata: readonly string[] = []) {
    this.metadata = metadata;
  }

  sendHeaders(): void {
    // Nothing here sends any.
  }

  sendMessage(): void {
    this.replies++;
  }

  finish(code: number): void {
    this.status = code;
    this.isEnded = true;
  }

  pause(): void {
    this.pauses++;
  }

  resume(): void {
    this.pauses--;
  }
}

function setUp(options: Partial<OapOptions> = {}) {
  const clock = new SimulatedClock();
  const counters = createOapCounters();
  const books = new OapBooks();
  const latency = new LatencyHistogram();
  const desk = new AnswerDesk({ ...DEFAULT_OAP_OPTIONS, ...options }, clock);
  const service = new AlsService(desk, clock, counters, books, latency);
  const open = (metadata: readonly string[] = []): RecordedCall => {
    const call = new RecordedCall(metadata);
    service.onCall(call);
    return call;
  };
  const bring = (call: RecordedCall, ...parts: readonly Uint8Array[]): void => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    service.onMessage(call, new SlicedMessage(parts, length, length));
  };
  return { clock, counters, books, latency, desk, service, open, bring };
}

function identifierOf(envoy: number): Uint8Array {
  const identifier = new IdentityEncoder(0).encode(envoy, 'http_envoy_accesslog');
  return Buffer.concat([Buffer.from([0x0a, (identifier.length & 127) | 128, identifier.length >>> 7]), identifier]);
}

function logsOf(envoy: number, firstSequence: number, entries: number, sentAtMs = 0): Uint8Array {
  const template = buildTemplate(encodeLogs('http', entries, 900));
  template.fill(1, envoy, firstSequence, sentAtMs);
  return template.toBody().subarray(ENVELOPE_BYTES);
}

test('a message with an identifier switches the node for what follows on its call', () => {
  const { counters, books, service, open, bring } = setUp();
  const call = open();
  bring(call, identifierOf(1), logsOf(1, 1, 2));
  bring(call, logsOf(1, 3, 1));
  bring(call, identifierOf(2), logsOf(2, 1, 4));
  bring(call, logsOf(2, 5, 1));
  service.onHalfClose(call);
  assert.equal(call.status, 0);
  assert.equal(call.replies, 1);
  assert.equal(counters.acceptedEntries, 8);
  assert.equal(counters.misplacedEntries, 0);
  assert.equal(books.nodes.get(nodeId(1))?.acceptedEntries, 3);
  assert.equal(books.nodes.get(nodeId(2))?.acceptedEntries, 5);
});

test('entries under another Envoy, entries twice, and messages before any identity are found out', () => {
  const { counters, service, open, bring } = setUp();
  const call = open();
  bring(call, logsOf(1, 1, 1));
  bring(call, identifierOf(1), logsOf(1, 1, 2));
  bring(call, logsOf(2, 1, 3));
  bring(call, logsOf(1, 2, 1));
  bring(call, Buffer.from([0xff, 0xff]));
  service.onHalfClose(call);
  assert.equal(counters.messagesWithoutIdentity, 1);
  assert.equal(counters.misplacedEntries, 3);
  assert.equal(counters.doubledEntries, 1);
  assert.equal(counters.malformedMessages, 1);
});

test('a call that fails or ends early leaves no trace in the books', () => {
  const { counters, books, desk, service, open, bring } = setUp({ failCalls: 1, failStatus: 14 });
  const failed = open();
  bring(failed, identifierOf(1), logsOf(1, 1, 2));
  service.onHalfClose(failed);
  const cancelled = open();
  bring(cancelled, identifierOf(1), logsOf(1, 1, 2));
  service.onEnd(cancelled, true);
  assert.equal(failed.status, 14);
  assert.deepEqual([counters.failedCalls, counters.cancelledCalls, counters.acceptedEntries], [1, 1, 0]);
  assert.equal(books.nodes.get(nodeId(1))?.acceptedEntries, 0);
  desk.set({ failRatio: 0 });
  const again = open();
  bring(again, identifierOf(1), logsOf(1, 1, 2));
  service.onHalfClose(again);
  assert.equal(counters.acceptedEntries, 2);
  assert.equal(counters.doubledEntries, 0);
});

test('a message in many slices reads as one', () => {
  const { counters, service, open, bring } = setUp();
  const whole = Buffer.concat([identifierOf(7), logsOf(7, 1, 3)]);
  const call = open();
  bring(
    call,
    ...Array.from({ length: Math.ceil(whole.length / 100) }, (_, index) =>
      whole.subarray(index * 100, index * 100 + 100),
    ),
  );
  service.onHalfClose(call);
  assert.equal(counters.acceptedEntries, 3);
  assert.equal(counters.misplacedEntries, 0);
});

test('answers wait for the delay, and behind each other for the speed, times the slow factor', () => {
  const { clock, service, open, bring } = setUp({ delayMs: 10, bytesPerSecond: 1_000_000, slowFactor: 5 });
  const first = open();
  const second = open();
  const message = logsOf(1, 1, 1);
  for (const call of [first, second]) {
    bring(call, message);
    service.onHalfClose(call);
  }
  const workMs = (message.length * 5) / 1000;
  clock.advance(50 + workMs - 0.1);
  assert.equal(first.status, -1);
  clock.advance(0.2);
  assert.equal(first.status, 0);
  assert.equal(second.status, -1);
  clock.advance(workMs);
  assert.equal(second.status, 0);
});

test('latency is the age of the first entry of each message', () => {
  const { clock, latency, open, bring } = setUp({ check: 'count' });
  const call = open();
  bring(call, identifierOf(1), logsOf(1, 1, 5, clock.wallNow() - 250));
  assert.equal(latency.count, 1);
  assert.equal(latency.percentile(0.5), 250);
});

test('a stalled OAP pauses its calls and never answers; a wrong token is refused at once', () => {
  const stalled = setUp({ stall: true });
  const call = stalled.open();
  stalled.service.onHalfClose(call);
  assert.deepEqual([call.pauses, call.status], [1, -1]);
  const guarded = setUp({ token: 'secret' });
  assert.equal(guarded.open().status, 16);
  assert.equal(guarded.open(['authentication', 'secret']).status, -1);
});
