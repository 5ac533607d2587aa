/**
 * HOT. Coarse timers for things that exist by the thousand (a deadline per call, an idle check per connection): setting,
 * moving and cancelling one is O(1) and allocates nothing beyond its own node.
 *
 *   slots  [0][1][2] … [n-1]      each a ring of nodes; the hand advances one slot a tick
 *            ^hand
 *
 * A node due later than one round waits in its slot and is looked at once a round. The underlying clock timer is armed
 * only while the wheel holds something, so an idle process has no ticks.
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

/**
 * A hashed timer wheel on a Clock.
 * @units `tickMs`: resolution; a timer fires up to one tick late, never early.
 */
export class TimerWheel {
  private readonly clock: Clock;
  private readonly tickMs: number;
  private readonly slots: WheelTimer[] = [];
  private hand: number;
  private armedCount = 0;
  private ticking: Timer | null = null;
  private readonly onTick = (): void => {
    this.tick();
  };

  constructor(clock: Clock, tickMs = 100) {
    this.clock = clock;
    this.tickMs = tickMs;
    this.hand = this.tickOf(clock.now());
    for (let index = 0; index < SLOT_COUNT; index++) {
      const head = new WheelTimer(this.onTick);
      head.previous = head;
      head.next = head;
      this.slots.push(head);
    }
  }

  /** Timers armed now. */
  get size(): number {
    return this.armedCount;
  }

  /** Arms `timer` to fire `delayMs` from now; an armed timer is moved. */
  arm(timer: WheelTimer, delayMs: number): void {
    this.disarm(timer);
    if (this.armedCount === 0) this.hand = this.tickOf(this.clock.now());
    timer.dueMs = Math.max(this.clock.now() + delayMs, Number.MIN_VALUE);
    const tick = Math.max(Math.ceil(timer.dueMs / this.tickMs), this.hand + 1);
    const head = this.slots[tick & (SLOT_COUNT - 1)]!;
    timer.previous = head.previous;
    timer.next = head;
    head.previous!.next = timer;
    head.previous = timer;
    this.armedCount++;
    this.ticking ??= this.clock.setTimer(this.tickMs, this.onTick);
  }

  /** Disarms `timer`; nothing happens if it is not armed. */
  disarm(timer: WheelTimer): void {
    if (timer.dueMs === 0) return;
    timer.dueMs = 0;
    timer.previous!.next = timer.next;
    timer.next!.previous = timer.previous;
    timer.previous = null;
    timer.next = null;
    this.armedCount--;
  }

  private tickOf(timeMs: number): number {
    return Math.floor(timeMs / this.tickMs);
  }

  private tick(): void {
    this.ticking = null;
    const nowMs = this.clock.now();
    const target = this.tickOf(nowMs);
    // After a long pause one round visits every slot; more would only repeat it.
    this.hand = Math.max(this.hand, target - SLOT_COUNT);
    while (this.hand < target) {
      this.hand++;
      this.fireSlot(this.slots[this.hand & (SLOT_COUNT - 1)]!, nowMs);
    }
    if (this.armedCount > 0) this.ticking ??= this.clock.setTimer(this.tickMs, this.onTick);
  }

  private fireSlot(head: WheelTimer, nowMs: number): void {
    let timer = head.next!;
    while (timer !== head) {
      if (timer.dueMs <= nowMs) {
        this.disarm(timer);
        timer.callback();
        // The callback may have changed any neighbour: start over from the head.
        timer = head.next!;
      } else {
        timer = timer.next!;
      }
    }
  }
}
