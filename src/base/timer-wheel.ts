/**
 * HOT. Coarse timers for things that exist by the thousand (a deadline per call, an idle check per connection): setting,
 * moving and cancelling one is O(1) and allocates nothing beyond its own node.
 *
 *   slots  [0][1][2] … [n-1]      each a ring of nodes; the hand advances one slot a tick
 *            ^hand
 *
 * A node due later than one round waits in its slot and is looked at once a round. The underlying clock timer is armed
 * only while the wheel holds something, so an idle process has no ticks; it is aimed at the borders of ticks, else a timer
 * could be late by two.
 */
import type { Clock, Timer } from './clock.js';

/** One timer of a wheel. Reusable: `wheel.arm` again after it fired or was disarmed. */
export class WheelTimer {
  /** Absolute due time in clock milliseconds; 0 while not armed. */
  dueMs = 0;
  previous: WheelTimer | null = null;
  next: WheelTimer | null = null;
  readonly callback: () => void;

  constructor(callback: () => void) {
    this.callback = callback;
  }

  get isArmed(): boolean {
    return this.dueMs !== 0;
  }
}

/** Slots of a wheel: with the default tick a round takes 51 s, so only long idle timeouts are met more than once. */
const SLOT_COUNT = 512;

/** A tick this late is that of a process that stood still: it was stopped, its machine slept, or others had the CPU. */
const STANDSTILL_MS = 1_000;

/**
 * A hashed timer wheel on a Clock.
 * @units `tickMs`: resolution; a timer fires up to one tick late, never early.
 */
export class TimerWheel {
  private readonly clock: Clock;
  private readonly tickMs: number;
  private readonly slots: WheelTimer[] = [];
  /** Timers of the slot under the hand, moved here so that callbacks may arm and disarm any of them meanwhile. */
  private readonly firing: WheelTimer;
  private hand: number;
  private armedCount = 0;
  private ticking: Timer | null = null;
  /** When the next tick is due; meaningful while `ticking`. */
  private tickDueMs = 0;
  private readonly onTick = (): void => {
    this.tick();
  };

  constructor(clock: Clock, tickMs = 100) {
    this.clock = clock;
    this.tickMs = tickMs;
    this.hand = this.tickOf(clock.now());
    for (let index = 0; index < SLOT_COUNT; index++) this.slots.push(createListHead());
    this.firing = createListHead();
  }

  /** Timers armed now. */
  get size(): number {
    return this.armedCount;
  }

  /** Arms `timer` to fire `delayMs` from now; an armed timer is moved. */
  arm(timer: WheelTimer, delayMs: number): void {
    this.disarm(timer);
    const nowMs = this.clock.now();
    if (this.armedCount === 0) this.hand = this.tickOf(nowMs);
    timer.dueMs = Math.max(nowMs + delayMs, Number.MIN_VALUE);
    this.armedCount++;
    this.place(timer);
    this.keepTicking();
  }

  /** Disarms `timer`; nothing happens if it is not armed. */
  disarm(timer: WheelTimer): void {
    if (timer.dueMs === 0) return;
    timer.dueMs = 0;
    unlink(timer);
    this.armedCount--;
  }

  private tickOf(timeMs: number): number {
    return Math.floor(timeMs / this.tickMs);
  }

  /** Puts an armed timer into the slot the hand reaches first at or after its due time. */
  private place(timer: WheelTimer): void {
    const tick = Math.max(Math.ceil(timer.dueMs / this.tickMs), this.hand + 1);
    append(this.slots[tick & (SLOT_COUNT - 1)]!, timer);
  }

  private keepTicking(): void {
    if (this.armedCount === 0 || this.ticking !== null) return;
    const nowMs = this.clock.now();
    const nextTickMs = (this.tickOf(nowMs) + 1) * this.tickMs;
    this.tickAt(nextTickMs, nowMs);
  }

  private tickAt(dueMs: number, nowMs: number): void {
    this.tickDueMs = dueMs;
    this.ticking = this.clock.setTimer(dueMs - nowMs, this.onTick);
  }

  private tick(): void {
    this.ticking = null;
    const nowMs = this.clock.now();
    if (nowMs - this.tickDueMs > STANDSTILL_MS) {
      // What came meanwhile is still in the sockets. It is read first, else every peer would be judged by our own silence.
      this.tickAt(nowMs, nowMs);
      return;
    }
    const target = this.tickOf(nowMs);
    // After a long pause one round visits every slot; more would only repeat it.
    this.hand = Math.max(this.hand, target - SLOT_COUNT);
    try {
      while (this.hand < target) {
        this.hand++;
        this.fireSlot(this.slots[this.hand & (SLOT_COUNT - 1)]!, nowMs);
      }
    } finally {
      // Also when a callback throws: the other timers must not die of it.
      this.keepTicking();
    }
  }

  private fireSlot(head: WheelTimer, nowMs: number): void {
    moveAll(head, this.firing);
    for (let timer = this.firing.next!; timer !== this.firing; timer = this.firing.next!) {
      if (timer.dueMs <= nowMs) {
        this.disarm(timer);
        timer.callback();
      } else {
        unlink(timer);
        this.place(timer);
      }
    }
  }
}

// --- circular lists ---

function createListHead(): WheelTimer {
  const head = new WheelTimer(doNothing);
  head.previous = head;
  head.next = head;
  return head;
}

function doNothing(): void {
  // Heads never fire.
}

function append(head: WheelTimer, timer: WheelTimer): void {
  timer.previous = head.previous;
  timer.next = head;
  head.previous!.next = timer;
  head.previous = timer;
}

function unlink(timer: WheelTimer): void {
  timer.previous!.next = timer.next;
  timer.next!.previous = timer.previous;
  timer.previous = null;
  timer.next = null;
}

/** Moves everything in `source` behind what is in `target`. */
function moveAll(source: WheelTimer, target: WheelTimer): void {
  if (source.next === source) return;
  source.next!.previous = target.previous;
  target.previous!.next = source.next;
  source.previous!.next = target;
  target.previous = source.previous;
  source.next = source;
  source.previous = source;
}
