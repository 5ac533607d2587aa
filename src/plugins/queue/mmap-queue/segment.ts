/** HOT. One file of events, as the queue knows it, and the list of a partition's segments by age. */
import type { Event } from '../../../core/event.js';
import type { SourceAccount } from '../../../core/fair-shares.js';
import { QueueTotals } from '../../../core/queue-totals.js';
import { HEADER_BYTES } from './layout.js';
import type { SegmentHeader } from './segment-format.js';
import { SettledSet } from './settled-set.js';

export class Segment {
  readonly header: SegmentHeader;
  readonly path: string;
  readonly settledPath: string;
  /** Where its records end. */
  dataEnd = HEADER_BYTES;
  /** What the file takes or will take, buffered records included. */
  fileBytes = HEADER_BYTES;
  /** Records so far, and so the number of the next. */
  records = 0;
  oldestWallMs = Infinity;
  newestWallMs = -Infinity;
  /** When its newest event was received, on the process's own clock: no step of the wall clock makes it older. */
  newestMs = -Infinity;
  /** All its events. */
  readonly totals = new QueueTotals();
  /** Not settled. */
  readonly held = new QueueTotals();
  /** Of these, on disk only. */
  readonly unread = new QueueTotals();
  /** Where the unread records begin. */
  loadedEnd = HEADER_BYTES;
  readonly settled: SettledSet;
  isSealed = false;
  /** Some of its events were given up unread: what was read before them is not read again. */
  hasLost = false;
  /** Deleted. */
  isGone = false;
  /** Found as a crash had left it: the disk may not have it. */
  isUnsynced = false;
  /** There is a settled file. */
  hasSettledFile = false;
  older: Segment | null = null;
  newer: Segment | null = null;
  /** What sources hold in it, settled or not: a file is given back as a whole. */
  private readonly accounts = new Map<SourceAccount, number>();

  constructor(header: SegmentHeader, path: string, settledPath: string, settled = new SettledSet()) {
    this.header = header;
    this.path = path;
    this.settledPath = settledPath;
    this.settled = settled;
  }

  /** A record of `bytes` was appended. */
  append(event: Event, bytes: number, receivedWallMs: number): void {
    this.records++;
    this.dataEnd += bytes;
    this.fileBytes += bytes;
    this.totals.addEvent(event);
    this.held.addEvent(event);
    if (receivedWallMs < this.oldestWallMs) this.oldestWallMs = receivedWallMs;
    if (receivedWallMs > this.newestWallMs) this.newestWallMs = receivedWallMs;
    if (event.receivedMs > this.newestMs) this.newestMs = event.receivedMs;
  }

  /** Found at `wallNowMs`: from now on its age is counted from there. An age below 0 is a wall clock that went back. */
  startAging(nowMs: number, wallNowMs: number): void {
    this.newestMs = nowMs - Math.max(0, wallNowMs - this.newestWallMs);
  }

  /** When an event of it was received, on the process's own clock. */
  receivedMsOf(receivedWallMs: number): number {
    return this.newestMs - Math.max(0, this.newestWallMs - receivedWallMs);
  }

  /** What the event's source holds is held here from now on. */
  adoptAccount(event: Event): void {
    const { account } = event;
    if (account === null) return;
    event.account = null;
    this.accounts.set(account, (this.accounts.get(account) ?? 0) + event.costBytes);
  }

  /** @order when the file is given up. */
  releaseAccounts(): void {
    for (const [account, bytes] of this.accounts) account.release(bytes);
    this.accounts.clear();
  }

  /** An event of it is settled. */
  settle(event: Event): void {
    this.settled.add(event.storeIndex);
    this.settled.totals.addEvent(event);
    this.held.subtractEvent(event);
  }

  /** Gives up what is unread; returns what it was. */
  forgetUnread(): QueueTotals {
    const lost = this.unread.copy();
    this.held.subtract(lost);
    this.unread.clear();
    this.loadedEnd = this.dataEnd;
    this.hasLost = true;
    return lost;
  }
}

/** A chain of segments, oldest first. */
export class SegmentList {
  oldest: Segment | null = null;
  newest: Segment | null = null;
  length = 0;

  push(segment: Segment): void {
    segment.older = this.newest;
    if (this.newest === null) this.oldest = segment;
    else this.newest.newer = segment;
    this.newest = segment;
    this.length++;
  }

  remove(segment: Segment): void {
    if (segment.older === null) this.oldest = segment.newer;
    else segment.older.newer = segment.newer;
    if (segment.newer === null) this.newest = segment.older;
    else segment.newer.older = segment.older;
    segment.older = null;
    segment.newer = null;
    this.length--;
  }
}
