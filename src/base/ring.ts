/**
 * HOT. A growable FIFO over a power-of-two array.
 *
 *        head    head + count
 *         v       v
 *   [ ][ ][a][b][c][ ][ ][ ]      index = (head + place) & mask
 *
 * Doubles when full; halves when it has drained to an eighth, so that one burst does not hold memory for good, not even in a
 * queue that never runs empty. Both are O(1) per item on average.
 */
export class Ring<T> {
  private slots: (T | undefined)[];
  private mask: number;
  private head = 0;
  private count = 0;
  private readonly minimum: number;

  constructor(initialCapacity = 16) {
    let capacity = 4;
    while (capacity < initialCapacity) capacity *= 2;
    this.minimum = capacity;
    this.slots = new Array<T | undefined>(capacity).fill(undefined);
    this.mask = capacity - 1;
  }

  get length(): number {
    return this.count;
  }

  /** Appends at the tail. */
  push(item: T): void {
    if (this.count > this.mask) this.resize((this.mask + 1) * 2);
    this.slots[(this.head + this.count) & this.mask] = item;
    this.count++;
  }

  /** Puts back at the head: the next `shift` returns it. */
  unshift(item: T): void {
    if (this.count > this.mask) this.resize((this.mask + 1) * 2);
    this.head = (this.head - 1) & this.mask;
    this.slots[this.head] = item;
    this.count++;
  }

  /** The oldest item, or undefined when empty. */
  peek(): T | undefined {
    return this.count === 0 ? undefined : this.slots[this.head];
  }

  /** The item `index` places behind the oldest, or undefined. */
  at(index: number): T | undefined {
    return index < 0 || index >= this.count ? undefined : this.slots[(this.head + index) & this.mask];
  }

  /** Removes and returns the oldest item, or undefined when empty. */
  shift(): T | undefined {
    if (this.count === 0) return undefined;
    const item = this.slots[this.head];
    this.slots[this.head] = undefined;
    this.head = (this.head + 1) & this.mask;
    this.count--;
    // Small rings keep what they have: halving them would save nothing and cost an array at every burst.
    if (this.mask >= this.minimum * 8 && this.count * 8 <= this.mask) this.resize((this.mask + 1) / 2);
    return item;
  }

  /** Removes and returns the newest item, or undefined when empty. */
  pop(): T | undefined {
    if (this.count === 0) return undefined;
    const place = (this.head + this.count - 1) & this.mask;
    const item = this.slots[place];
    this.slots[place] = undefined;
    this.count--;
    return item;
  }

  clear(): void {
    this.slots = new Array<T | undefined>(this.minimum).fill(undefined);
    this.mask = this.minimum - 1;
    this.head = 0;
    this.count = 0;
  }

  private resize(capacity: number): void {
    const slots = new Array<T | undefined>(capacity).fill(undefined);
    for (let index = 0; index < this.count; index++) slots[index] = this.slots[(this.head + index) & this.mask];
    this.slots = slots;
    this.mask = capacity - 1;
    this.head = 0;
  }
}
