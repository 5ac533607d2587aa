/**
 * HOT. One FIFO of the queue: a chain of segments, the last of which is being written, and the events at the front of it
 * that are in memory (layout.ts has the picture).
 */
import { dirname, join } from 'node:path';
import { Ring } from '../../../base/index.js';
import type { Identity, Event } from '../../../core/event.js';
import type { DropReason } from '../../../core/drop-reason.js';
import { QUEUE_CODE } from '../../../core/queue.js';
import type { QueueCode } from '../../../core/queue.js';
import { QueueTotals } from '../../../core/queue-totals.js';
import { codeOf } from './fs.js';
import { HEADER_BYTES, SEAL_BYTES, segmentName, settledName } from './layout.js';
import type { FileOperation } from './metrics.js';
import { decodeRecord, readIndex, readReceivedWallMs, recordBytes } from './record.js';
import { RecordScanner } from './scanner.js';
import type { ByteSource } from './scanner.js';
import { encodeSettled } from './segment-format.js';
import { Segment, SegmentList } from './segment.js';
import type { PartitionHost } from './settings.js';
import { SegmentWriter } from './writer.js';

/** Holds the largest event of receivers' defaults (`limit_bytes` 512 KiB) with identity and table. */
const WRITE_BUFFER_BYTES = 640 * 1024;
/** What a file costs beside its records. */
const FRAME_BYTES = HEADER_BYTES + SEAL_BYTES;

export class Partition {
  readonly directory: string;
  /** Of all its files. */
  fileBytes = 0;
  /** Events taken since the start, and those of them that are written. */
  offered = 0;
  written = 0;
  readonly found = new QueueTotals();
  /** Written since they were last synced. */
  unsynced = new Set<Segment>();
  /** Files were made since the directory was synced. */
  hasNewFiles = false;
  private readonly host: PartitionHost;
  private readonly index: number;
  private readonly list = new SegmentList();
  private nextId = 1;
  private writer: SegmentWriter | null = null;
  private buffer: Buffer | null = null;
  /** Taken over from the pipe, or read; to be taken next. */
  private readonly ready = new Ring<Event>();
  private readyBytes = 0;
  private unreadEvents = 0;
  private readonly newSettled = new Set<Segment>();
  private eventsSinceFlush = 0;
  /** The last write failed: nothing is taken until one works. */
  private isFailing = false;
  /** Something could not be read just now. */
  private isReadStalled = false;

  constructor(host: PartitionHost, index: number, directory: string) {
    this.host = host;
    this.index = index;
    this.directory = directory;
  }

  // --- start ---

  /** Takes over what was found, oldest first. @order before anything else. */
  adopt(segments: readonly Segment[], lastId: number): void {
    const { clock } = this.host;
    this.nextId = lastId + 1;
    for (const segment of segments) {
      segment.startAging(clock.now(), clock.wallNow());
      this.list.push(segment);
      this.fileBytes += segment.fileBytes;
      this.unreadEvents += segment.unread.events;
      this.found.add(segment.held);
      if (segment.isUnsynced) this.unsynced.add(segment);
    }
  }

  // --- figures ---

  get pendingEvents(): number {
    return this.ready.length + this.unreadEvents;
  }

  get segments(): number {
    return this.list.length;
  }

  // --- writing ---

  offer(event: Event): QueueCode {
    const { settings, clock } = this.host;
    const bytes = recordBytes(event);
    const maxBytes = settings.maxEventBytes === 0 ? Infinity : settings.maxEventBytes;
    if (bytes > maxBytes || bytes + FRAME_BYTES > settings.capacityBytes) return QUEUE_CODE.tooLarge;
    const writer = this.isFailing ? null : this.prepare(bytes);
    if (writer === null) return QUEUE_CODE.full;
    const isThrough = settings.fsync === 'always';
    const receivedWallMs = clock.wallNow() - (clock.now() - event.receivedMs);
    try {
      writer.append(event, bytes, receivedWallMs, isThrough);
    } catch (error) {
      this.onWriteFailed(error);
      return QUEUE_CODE.full;
    }
    this.offered++;
    this.fileBytes += bytes;
    writer.segment.adoptAccount(event);
    this.place(event, writer.segment, bytes);
    if (writer.bufferedBytes === 0) this.onWritten();
    this.eventsSinceFlush++;
    if (isThrough || this.eventsSinceFlush >= settings.flushEvents) this.host.flushNow();
    else this.host.requestFlush();
    return QUEUE_CODE.ok;
  }

  /** Keeps the event in memory when all before it are there too; else lets go of it. */
  private place(event: Event, segment: Segment, bytes: number): void {
    const { settings } = this.host;
    const hasRoom = this.ready.length === 0 || this.readyBytes + event.costBytes <= settings.memoryBytes;
    const isNext = settings.order === 'newest_first' ? segment.unread.events === 0 : this.unreadEvents === 0;
    event.partition = this.index;
    if (hasRoom && isNext) {
      event.store = segment;
      event.storeIndex = segment.records - 1;
      event.storePosition = segment.dataEnd - bytes;
      segment.loadedEnd = segment.dataEnd;
      this.push(event);
      return;
    }
    segment.unread.addEvent(event);
    this.unreadEvents++;
    this.letGo(event);
  }

  /** A writer with room for a record of `bytes`; null when there is none now. */
  private prepare(bytes: number): SegmentWriter | null {
    const { segmentBytes } = this.host.settings;
    const open = this.writer?.segment;
    if (open !== undefined && open.records > 0 && open.dataEnd + bytes + SEAL_BYTES > segmentBytes && !this.seal()) {
      return null;
    }
    const frameBytes = this.writer === null ? FRAME_BYTES : SEAL_BYTES;
    if (!this.makeRoom(bytes + frameBytes)) return null;
    try {
      return this.writer ?? this.openWriter();
    } catch (error) {
      this.onWriteFailed(error);
      return null;
    }
  }

  private openWriter(): SegmentWriter {
    const { clock, random, owner } = this.host;
    this.expire();
    const id = this.nextId++;
    const header = {
      id,
      createdWallMs: clock.wallNow(),
      salt: Math.floor(random() * 2 ** 32),
      dataType: owner.dataType,
    };
    const segment = new Segment(header, join(this.directory, segmentName(id)), join(this.directory, settledName(id)));
    this.buffer ??= this.createBuffer();
    this.writer = new SegmentWriter(this.host, segment, this.buffer);
    this.list.push(segment);
    this.fileBytes += segment.fileBytes;
    this.hasNewFiles = true;
    return this.writer;
  }

  private createBuffer(): Buffer {
    this.host.budget.reserve(WRITE_BUFFER_BYTES);
    return Buffer.allocUnsafeSlow(WRITE_BUFFER_BYTES);
  }

  /** Completes the segment that is being written. False: the disk does not take it. */
  private seal(): boolean {
    const writer = this.writer!;
    const { segment } = writer;
    if (segment.held.events === 0) {
      // Nothing of it is wanted any more: what was not written need not be.
      writer.close();
      this.writer = null;
      this.onWritten();
      this.remove(segment);
      return true;
    }
    try {
      writer.seal();
    } catch (error) {
      this.onWriteFailed(error);
      return false;
    }
    this.writer = null;
    this.fileBytes += SEAL_BYTES;
    this.unsynced.add(segment);
    this.onWritten();
    return true;
  }

  /** Deletes what may be deleted until `bytes` fit. */
  private makeRoom(bytes: number): boolean {
    const { capacityBytes, whenFull } = this.host.settings;
    while (this.fileBytes + bytes > capacityBytes) {
      if (whenFull !== 'drop_oldest' || !this.loseOldest()) return false;
    }
    return true;
  }

  /** Gives up the oldest file; not one that is on its way to a backend in part, but its rest. False: there is none. */
  private loseOldest(): boolean {
    for (let segment = this.list.oldest; segment !== null;) {
      const { newer } = segment;
      if (segment.isSealed && segment.unread.events > 0) this.lose(segment, 'queue_full');
      if (segment.isGone) return true;
      segment = newer;
    }
    return false;
  }

  /** Writes what is buffered, and which events are settled. */
  flush(): void {
    this.eventsSinceFlush = 0;
    try {
      this.writer?.flush();
      this.onWritten();
    } catch (error) {
      this.onWriteFailed(error);
    }
    this.writeSettled();
    if (!this.isReadStalled) return;
    this.isReadStalled = false;
    this.host.announceChange();
  }

  private writeSettled(): void {
    const { files } = this.host;
    try {
      for (const segment of this.newSettled) {
        // Also when the write fails half way.
        segment.hasSettledFile = true;
        files.writeWhole(segment.settledPath, encodeSettled(segment.settled, segment.header.salt));
        this.newSettled.delete(segment);
      }
    } catch (error) {
      // Without it the events come again after a crash; no reason to stop.
      this.onFailed('write', error);
      this.host.requestFlush();
    }
  }

  /** The buffer is empty. */
  private onWritten(): void {
    if (this.written !== this.offered) {
      this.written = this.offered;
      if (this.writer !== null) this.unsynced.add(this.writer.segment);
    }
    if (!this.isFailing) return;
    this.isFailing = false;
    this.host.log.repeated('info', 'disk-again', 'the disk queue is written again', { directory: this.directory });
    this.host.announceChange();
  }

  private onWriteFailed(error: unknown): void {
    const open = this.writer?.segment;
    // The disk may be full of nothing but the file that is being written.
    if (open !== undefined && open.records > 0 && open.held.events === 0) this.seal();
    else if (this.host.settings.whenFull === 'drop_oldest' && NO_SPACE_CODES.has(codeOf(error))) this.loseOldest();
    this.isFailing = true;
    this.onFailed('write', error);
    this.host.requestFlush();
  }

  // --- reading ---

  peek(): Event | undefined {
    if (this.ready.length === 0 && this.unreadEvents > 0) this.load();
    return this.ready.peek();
  }

  take(): Event | undefined {
    if (this.peek() === undefined) return undefined;
    const event = this.ready.shift()!;
    this.readyBytes -= event.costBytes;
    return event;
  }

  private load(): void {
    this.expire();
    while (this.ready.length === 0) {
      const segment = this.nextUnread();
      if (segment === null || !this.loadFrom(segment)) return;
    }
  }

  private nextUnread(): Segment | null {
    const isNewestFirst = this.host.settings.order === 'newest_first';
    let segment = isNewestFirst ? this.list.newest : this.list.oldest;
    while (segment !== null && segment.unread.events === 0) segment = isNewestFirst ? segment.older : segment.newer;
    return segment;
  }

  /** Reads on in `segment` until memory is full or it ends. False: it cannot be read now. */
  private loadFrom(segment: Segment): boolean {
    const { files } = this.host;
    if (this.writer?.segment === segment) {
      this.scan(segment, this.writer);
      return true;
    }
    let file = -1;
    try {
      file = files.open(segment.path, 'read');
      this.scan(segment, { read: (target, position) => files.read(file, target, position) });
    } catch (error) {
      this.onFailed('read', error);
      if (TRANSIENT_CODES.has(codeOf(error))) {
        this.isReadStalled = true;
        this.host.requestFlush();
        return false;
      }
      this.lose(segment, 'corrupt');
    } finally {
      if (file >= 0) files.close(file);
    }
    return true;
  }

  private scan(segment: Segment, source: ByteSource): void {
    const { settings, budget, owner, metrics, blocks, scanMemory } = this.host;
    const { header, loadedEnd, dataEnd } = segment;
    const scanner = new RecordScanner(source, loadedEnd, dataEnd, header.salt, scanMemory);
    let identity: Identity | null = null;
    let payload: Buffer | null = null;
    while (
      this.ready.length === 0 ||
      (this.readyBytes < settings.memoryBytes && budget.usedBytes < budget.limitBytes)
    ) {
      payload = scanner.next();
      if (payload === null) break;
      if (segment.settled.has(readIndex(payload))) continue;
      const receivedMs = segment.receivedMsOf(readReceivedWallMs(payload));
      const event = decodeRecord(payload, owner.dataType, receivedMs, identity, budget, blocks);
      if (event === null) continue;
      budget.reserve(event.costBytes);
      identity = event.identity;
      event.store = segment;
      event.storePosition = scanner.position - recordBytes(event);
      event.partition = this.index;
      event.queuedMs = receivedMs;
      segment.unread.subtractEvent(event);
      this.unreadEvents--;
      this.push(event);
    }
    segment.loadedEnd = scanner.position;
    metrics.damaged.value += scanner.damagedRegions;
    if (payload === null && segment.unread.events > 0) this.lose(segment, 'corrupt');
  }

  private push(event: Event): void {
    this.ready.push(event);
    this.readyBytes += event.costBytes;
  }

  /** Lets go of what was to be taken last, to be read in its turn; the next one stays. Returns the bytes that it was. */
  unload(bytes: number): number {
    let freed = 0;
    while (freed < bytes && this.ready.length > 1) {
      const segment = this.ready.at(this.ready.length - 1)!.store as Segment;
      if (segment.hasLost) break;
      const event = this.ready.pop()!;
      segment.loadedEnd = event.storePosition;
      segment.unread.addEvent(event);
      this.unreadEvents++;
      this.readyBytes -= event.costBytes;
      freed += event.costBytes;
      this.letGo(event);
    }
    return freed;
  }

  // --- letting go ---

  settle(event: Event): void {
    const segment = event.store as Segment;
    event.store = null;
    segment.settle(event);
    if (segment.held.events === 0 && segment.isSealed) {
      this.remove(segment);
    } else if (segment.held.events === 0 && this.isFailing) {
      this.seal();
    } else {
      this.newSettled.add(segment);
      this.host.requestFlush();
    }
  }

  /** Gives up what is too old and unread. */
  private expire(): void {
    const { settings, clock } = this.host;
    if (settings.maxAgeMs === 0) return;
    const limitMs = clock.now() - settings.maxAgeMs;
    let segment = this.list.oldest;
    while (segment !== null && segment.newestMs < limitMs) {
      const { newer } = segment;
      if (segment.unread.events > 0) this.lose(segment, 'expired');
      segment = newer;
    }
  }

  private lose(segment: Segment, reason: DropReason): void {
    const lost = segment.forgetUnread();
    this.unreadEvents -= lost.events;
    this.host.log.repeated('warn', `lost-${reason}`, 'events of the disk queue are lost', {
      reason,
      file: segment.path,
    });
    if (segment.isSealed && segment.held.events === 0) this.remove(segment);
    this.host.owner.onLost(this.index, lost, reason);
  }

  /** Deletes a segment of which nothing is wanted any more. */
  private remove(segment: Segment): void {
    segment.isGone = true;
    segment.releaseAccounts();
    this.list.remove(segment);
    this.fileBytes -= segment.fileBytes;
    this.unsynced.delete(segment);
    this.newSettled.delete(segment);
    this.host.waitFor(this.deleteFile(segment));
  }

  private async deleteFile(segment: Segment): Promise<void> {
    const { files } = this.host;
    try {
      await files.removeLater(segment.path);
      if (segment.hasSettledFile) files.remove(segment.settledPath);
      const directory = dirname(segment.path);
      if (directory !== this.directory) files.removeDirectory(directory);
      if (this.isFailing) this.flush();
    } catch (error) {
      this.report('delete', error);
    }
  }

  private onFailed(operation: FileOperation, error: unknown): void {
    // Anything but a file system's error is a bug.
    if (codeOf(error) === '') throw error;
    this.report(operation, error);
  }

  private report(operation: FileOperation, error: unknown): void {
    const { metrics, log } = this.host;
    metrics.failures[operation].value++;
    const text = error instanceof Error ? error.message : String(error);
    log.repeated('error', `disk-${operation}`, `the disk queue cannot ${operation}`, {
      error: text,
      directory: this.directory,
    });
  }

  /** Completes the files. What cannot be written is told and gone. */
  close(): void {
    if (this.writer !== null && !this.seal()) {
      const events = String(this.offered - this.written);
      this.host.log.error('events could not be written to the disk queue', { events });
      this.writer.close();
    }
    this.writer = null;
    this.writeSettled();
    while (this.ready.length > 0) this.letGo(this.ready.shift()!);
    this.readyBytes = 0;
    if (this.buffer !== null) this.host.budget.release(this.buffer.length);
    this.buffer = null;
  }

  private letGo(event: Event): void {
    event.releaseMessages();
    this.host.budget.release(event.costBytes);
    event.identity?.release();
  }
}

/** A full disk, or quota. */
const NO_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Too many open files, interrupted: the next try may work. */
const TRANSIENT_CODES = new Set(['EMFILE', 'ENFILE', 'EINTR', 'EAGAIN']);
