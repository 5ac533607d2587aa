/** The sequence numbers seen of one Envoy, one bit each: 1 million entries cost 125 KB. */
export class SequenceSet {
  private words: Uint32Array;
  private distinctCount = 0;
  private highest = 0;

  constructor(words: Uint32Array = new Uint32Array(32)) {
    this.words = words;
    for (let index = 0; index < words.length; index++) {
      const word = words[index]!;
      if (word === 0) continue;
      this.distinctCount += countBits(word);
      this.highest = index * 32 + 31 - Math.clz32(word);
    }
  }

  get distinct(): number {
    return this.distinctCount;
  }

  get last(): number {
    return this.highest;
  }

  /** @returns false when `sequence` was there already. */
  add(sequence: number): boolean {
    const index = sequence >>> 5;
    if (index >= this.words.length) this.grow(index + 1);
    const bit = 1 << (sequence & 31);
    const word = this.words[index]!;
    if ((word & bit) !== 0) return false;
    this.words[index] = word | bit;
    this.distinctCount++;
    if (sequence > this.highest) this.highest = sequence;
    return true;
  }

  has(sequence: number): boolean {
    const index = sequence >>> 5;
    return index < this.words.length && (this.words[index]! & (1 << (sequence & 31))) !== 0;
  }

  /** Adds all of `other`. @returns how many of them were here already. */
  merge(other: SequenceSet): number {
    const words = other.words;
    if (words.length > this.words.length) this.grow(words.length);
    let shared = 0;
    for (let index = 0; index < words.length; index++) {
      const theirs = words[index]!;
      if (theirs === 0) continue;
      const ours = this.words[index]!;
      shared += countBits(ours & theirs);
      this.words[index] = ours | theirs;
    }
    this.distinctCount += other.distinctCount - shared;
    if (other.highest > this.highest) this.highest = other.highest;
    return shared;
  }

  /** The first `limit` numbers of 1…`last` that are not in the set. */
  missing(last: number, limit: number): number[] {
    const found: number[] = [];
    for (let sequence = 1; sequence <= last && found.length < limit; sequence++) {
      if (!this.has(sequence)) found.push(sequence);
    }
    return found;
  }

  /** @ownership a copy, just long enough; the constructor takes it back. */
  toWords(): Uint32Array {
    return this.words.slice(0, (this.highest >>> 5) + 1);
  }

  private grow(words: number): void {
    const grown = new Uint32Array(Math.max(words, this.words.length * 2));
    grown.set(this.words);
    this.words = grown;
  }
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
