/**
 * HOT. The dynamic table both directions keep: a FIFO of fields bounded by bytes.
 *
 *   index 62 = newest, 62 + count - 1 = oldest; slot = (newest - distance) & mask
 *
 * Empty tables own no arrays, so an idle connection pays nothing for them.
 * @source RFC 7541 §2.3.2, §4.
 */
import { STATIC_ENTRIES } from './static-table.js';

/** What the table charges for an entry beside its name and value. @source RFC 7541 §4.1. */
export const ENTRY_OVERHEAD_BYTES = 32;

const NO_STRINGS: string[] = [];

export class DynamicTable {
  /** Bytes of all entries, overhead included. */
  sizeBytes = 0;
  /** Bound of `sizeBytes`. */
  maxBytes: number;
  count = 0;
  private names = NO_STRINGS;
  private values = NO_STRINGS;
  private mask = -1;
  /** Slot position of the newest entry plus one; grows without bound, taken modulo the mask. */
  private next = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Changes the bound and evicts what no longer fits. */
  resize(maxBytes: number): void {
    this.maxBytes = maxBytes;
    this.evictTo(maxBytes);
  }

  /** Adds the newest entry; one larger than the table empties it, which is no error. */
  add(name: string, value: string): void {
    const bytes = name.length + value.length + ENTRY_OVERHEAD_BYTES;
    if (bytes > this.maxBytes) {
      this.evictTo(0);
      return;
    }
    this.evictTo(this.maxBytes - bytes);
    if (this.count > this.mask) this.grow();
    const slot = this.next++ & this.mask;
    this.names[slot] = name;
    this.values[slot] = value;
    this.count++;
    this.sizeBytes += bytes;
  }

  /** The name at a distance from the newest entry (0 = newest); the caller has checked `distance < count`. */
  nameAt(distance: number): string {
    return this.names[(this.next - 1 - distance) & this.mask]!;
  }

  valueAt(distance: number): string {
    return this.values[(this.next - 1 - distance) & this.mask]!;
  }

  /** The HPACK index of a field in this table; if only the name is there, the negative of its index; else 0. */
  find(name: string, value: string): number {
    let named = 0;
    for (let distance = 0; distance < this.count; distance++) {
      if (this.nameAt(distance) !== name) continue;
      if (this.valueAt(distance) === value) return STATIC_ENTRIES + 1 + distance;
      if (named === 0) named = -(STATIC_ENTRIES + 1 + distance);
    }
    return named;
  }

  private evictTo(bytes: number): void {
    while (this.sizeBytes > bytes) {
      const slot = (this.next - this.count) & this.mask;
      this.sizeBytes -= this.names[slot]!.length + this.values[slot]!.length + ENTRY_OVERHEAD_BYTES;
      this.names[slot] = '';
      this.values[slot] = '';
      this.count--;
    }
  }

  private grow(): void {
    const capacity = this.mask < 0 ? 8 : (this.mask + 1) * 2;
    const names = new Array<string>(capacity).fill('');
    const values = new Array<string>(capacity).fill('');
    for (let index = 0; index < this.count; index++) {
      names[index] = this.nameAt(this.count - 1 - index);
      values[index] = this.valueAt(this.count - 1 - index);
    }
    this.names = names;
    this.values = values;
    this.mask = capacity - 1;
    this.next = this.count;
  }
}
