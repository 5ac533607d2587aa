/** A pool whose blocks are overwritten when they are given back, once: who looks at one later gets rubbish. */
import assert from 'node:assert/strict';
import { BlockPool, type Slab } from '../../src/base/index.js';
import type { Message } from '../../src/net/grpc/contract.js';
import { SlicedMessage } from '../../src/net/grpc/sliced-message.js';

const POISON = 0xdb;

export class PoisonPool extends BlockPool {
  /** Bytes of blocks taken and not given back. */
  heldBytes = 0;
  /** Of each slab, which bytes are taken. */
  private readonly held = new Map<Slab, Uint8Array>();

  constructor() {
    super(null);
  }

  override take(length: number): Slab {
    const slab = super.take(length);
    const held = this.held.get(slab) ?? new Uint8Array(slab.bytes.length);
    this.held.set(slab, held);
    const end = this.start + length;
    assert.ok(end <= held.length && !held.subarray(this.start, end).includes(1), 'a block was given to two');
    held.fill(1, this.start, end);
    this.heldBytes += length;
    return slab;
  }

  override giveBack(slab: Slab, start: number, length: number): void {
    assert.ok(length > 0, 'an empty block was given back');
    const held = this.held.get(slab)!;
    const end = start + length;
    assert.ok(!held.subarray(start, end).includes(0), 'a block was given back twice');
    held.fill(0, start, end);
    slab.bytes.fill(POISON, start, end);
    this.heldBytes -= length;
    super.giveBack(slab, start, length);
  }

  /** A message of these bytes in a block. */
  messageOf(bytes: Uint8Array): Message {
    const slab = this.take(bytes.length);
    const { start } = this;
    slab.bytes.set(bytes, start);
    return new SlicedMessage(null, bytes.length, bytes.length).own(slab, start, bytes.length);
  }
}
