import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SimulatedClock } from '../../../../src/base/index.js';
import type { Event } from '../../../../src/core/event.js';
import type { WindowSettings } from '../../../../src/core/pipe/index.js';
import { WindowWheel } from '../../../../src/core/pipe/window.js';
import type { Source } from '../../../../src/core/pipe/window.js';
import { AlsReader } from '../../../../src/core/wire/index.js';
import type { ServerCall } from '../../../../src/net/grpc/contract.js';
import { messageOf } from '../../../support/als.js';

const PHASES = 64;
const FLUSH_MS = 640;
const WINDOW: WindowSettings = {
  ack: 'received',
  flushTimeMs: FLUSH_MS,
  limitCount: 500,
  limitBytes: 1e6,
  totalBytes: 1e7,
};
const MESSAGE_BYTES = 100;
const MESSAGE = messageOf(new Uint8Array(MESSAGE_BYTES));

interface Closed {
  readonly event: Event;
  readonly source: Source;
  readonly atMs: number;
}

function setUp(settings: Partial<WindowSettings> = {}): {
  clock: SimulatedClock;
  wheel: WindowWheel;
  closed: Closed[];
  open: () => Source;
  add: (source: Source) => void;
} {
  const clock = new SimulatedClock(5000);
  const closed: Closed[] = [];
  const window = { ...WINDOW, ...settings };
  const wheel = new WindowWheel(
    { method: 0, reader: new AlsReader(true), window, withoutIdentity: 'accept', observer: null },
    'als-v3',
    clock,
    { offer: (event, source) => void closed.push({ event, source, atMs: clock.now() }) },
  );
  return {
    clock,
    wheel,
    closed,
    open: () => wheel.createSource({} as ServerCall),
    add: (source) => {
      wheel.add(source, MESSAGE, 2, null, 0);
    },
  };
}

describe('the wheel of windows', () => {
  it('holds no message longer than flush_time, and half of it on average', () => {
    const { clock, closed, open, add } = setUp();
    const count = PHASES * 2;
    for (let index = 0; index < count; index++) add(open());
    clock.advance(FLUSH_MS);
    assert.equal(closed.length, count);
    const waits = closed.map(({ atMs }) => atMs - 5000);
    const mean = waits.reduce((sum, wait) => sum + wait, 0) / count;
    assert.ok(Math.abs(mean - FLUSH_MS / 2) < FLUSH_MS / 20, `mean ${mean}`);
    assert.ok(Math.max(...waits) <= FLUSH_MS);
  });

  it('runs its timer only while a window is open', () => {
    const { clock, wheel, open, add } = setUp();
    const source = open();
    assert.equal(clock.pendingTimers, 0);
    add(source);
    assert.equal(clock.pendingTimers, 1);
    wheel.close(source);
    clock.advance(FLUSH_MS);
    assert.equal(clock.pendingTimers, 0);
  });

  it('catches up when the timer comes late', () => {
    const { clock, closed, open, add } = setUp();
    const steps: number[] = [];
    for (let index = 0; index < PHASES; index++) add(open());
    // One timer callback far behind: what was due by then is closed in it.
    const original = clock.now.bind(clock);
    let skewMs = 0;
    clock.now = () => original() + skewMs;
    skewMs = FLUSH_MS / 2;
    clock.advance(FLUSH_MS / PHASES);
    steps.push(closed.length);
    assert.ok(closed.length >= PHASES / 2, `${closed.length} closed`);
  });

  it('closes a window at its count, before its bytes would be passed, and at once without flush_time', () => {
    const byCount = setUp({ limitCount: 3 });
    const source = byCount.open();
    for (let index = 0; index < 7; index++) byCount.add(source);
    assert.deepEqual(
      byCount.closed.map(({ event }) => event.messages.length),
      [3, 3],
    );

    const byBytes = setUp({ limitBytes: MESSAGE_BYTES * 2.5 });
    const other = byBytes.open();
    for (let index = 0; index < 5; index++) byBytes.add(other);
    assert.deepEqual(
      byBytes.closed.map(({ event }) => event.bytes),
      [MESSAGE_BYTES * 2, MESSAGE_BYTES * 2],
    );

    const atOnce = setUp({ flushTimeMs: 0 });
    atOnce.add(atOnce.open());
    assert.equal(atOnce.closed.length, 1);
    assert.equal(atOnce.clock.pendingTimers, 0);
  });

  it('closes the oldest windows early when all together pass the mark', () => {
    const mark = MESSAGE_BYTES * 20;
    const { clock, wheel, closed, open, add } = setUp({ totalBytes: mark });
    const sources = Array.from({ length: 200 }, open);
    for (const source of sources) {
      add(source);
      assert.ok(wheel.openBytes <= mark);
    }
    assert.ok(closed.length >= 180, `${closed.length} closed`);
    clock.advance(FLUSH_MS);
    assert.equal(closed.length, 200);
    assert.equal(wheel.openBytes, 0);
    assert.equal(wheel.openWindows, 0);
  });

  it('survives a source that opens its next window while its phase closes', () => {
    const clock = new SimulatedClock(5000);
    let reopened = 0;
    const window = WINDOW;
    const wheel: WindowWheel = new WindowWheel(
      { method: 0, reader: new AlsReader(true), window, withoutIdentity: 'accept', observer: null },
      'als-v3',
      clock,
      {
        offer: (_event, source) => {
          if (reopened++ < 3) wheel.add(source, MESSAGE, 1, null, 0);
        },
      },
    );
    wheel.add(wheel.createSource({} as ServerCall), MESSAGE, 1, null, 0);
    clock.advance(FLUSH_MS);
    assert.equal(reopened, 1);
    clock.advance(FLUSH_MS * 4);
    assert.equal(reopened, 4);
    assert.equal(wheel.openWindows, 0);
  });
});
