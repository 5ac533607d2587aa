/**
 * HOT. A growable FIFO over a power-of-two array.
 *
 *     head          tail
 *      v             v
 *   [ ][a][b][c][d][ ][ ][ ]      index = position & mask
 *
 * Never shrinks below its first capacity; shrinks by halves when it has drained far below its size, so that one burst
 * does not hold memory for good.
 */
export class Ring<T> {
  private slots: (T | undefined)[];
  private mask: number;
  private head = 0;
  private tail = 0;
  private readonly minimum: number;

  constructor(initialCapacity = 16) {
    let capacity = 4;
    while (capacity < initialCapacity) capacity *= 2;
    this.minimum = capacity;
    this.slots = new Array<T | undefined>(capacity).fill(undefined);
    this.mask = capacity - 1;
  }

  get length(): number {
    return this.tail - this.head;
  }

  /** Appends at the tail. */
  push(item: T): void {
    if (this.tail - this.head > this.mask) this.resize((this.mask + 1) * 2);
    this.slots[this.tail++ & this.mask] = item;
  }

  /** Puts back at the head: the next `shift` returns it. */
  unshift(item: T): void {
    if (this.tail - this.head > this.mask) this.resize((this.mask + 1) * 2);
    if (this.head === 0) {
      this.head += this.mask + 1;
      this.tail += this.mask + 1;
    }
    this.slots[--this.head & this.mask] = item;
  }

  /** The oldest item, or undefined when empty. */
  peek(): T | undefined {
    return this.head === this.tail ? undefined : this.slots[this.head & this.mask];
  }

  /** The item `index` places behind the oldest, or undefined. */
  at(index: number): T | undefined {
    return index < 0 || index >= this.length ? undefined : this.slots[(this.head + index) & this.mask];
  }

  /** Removes and returns the oldest item, or undefined when empty. */
  shift(): T | undefined {
    if (this.head === this.tail) return undefined;
    const index = this.head++ & this.mask;
    const item = this.slots[index];
    this.slots[index] = undefined;
    if (this.head === this.tail) {
      this.head = 0;
      this.tail = 0;
      if (this.mask + 1 > this.minimum * 8) this.resize(this.minimum);
    }
    return item;
  }

  clear(): void {
    this.slots = new Array<T | undefined>(this.minimum).fill(undefined);
    this.mask = this.minimum - 1;
    this.head = 0;
    this.tail = 0;
  }

  private resize(capacity: number): void {
    const slots = new Array<T | undefined>(capacity).fill(undefined);
    const length = this.length;
    for (let index = 0; index < length; index++) slots[index] = this.slots[(this.head + index) & this.mask];
    this.slots = slots;
    this.mask = capacity - 1;
    this.head = 0;
    this.tail = length;
  }
}
