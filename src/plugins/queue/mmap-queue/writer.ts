/**
 * HOT. Appends records to one segment through a buffer. A write that fails leaves everything as it was: the buffer keeps
 * its bytes, and the next try writes them to the same place.
 */
import type { Clock } from '../../../base/index.js';
import type { Event } from '../../../core/event.js';
import type { Histogram } from '../../../core/telemetry.js';
import type { QueueFiles } from './fs.js';
import { SEAL_BYTES } from './layout.js';
import { encodeRecord } from './record.js';
import type { ByteSource } from './scanner.js';
import { encodeHeader, encodeSeal } from './segment-format.js';
import type { Segment } from './segment.js';
import type { DiskQueueParts } from './settings.js';

export class SegmentWriter implements ByteSource {
  readonly segment: Segment;
  private readonly files: QueueFiles;
  private readonly clock: Clock;
  private readonly writeSeconds: Histogram;
  private readonly buffer: Buffer;
  /** Bytes in the buffer. */
  private filled: number;
  /** Where the buffer's first byte belongs. */
  private bufferStart = 0;
  private file: number;

  /**
   * Makes the file. @ownership borrows `buffer` until it is closed; one writer at a time uses it.
   * @throws what the file system throws; then there is no file.
   */
  constructor({ files, clock, metrics }: DiskQueueParts, segment: Segment, buffer: Buffer) {
    this.files = files;
    this.clock = clock;
    this.writeSeconds = metrics.writeSeconds;
    this.segment = segment;
    this.buffer = buffer;
    this.file = files.create(segment.path);
    this.filled = encodeHeader(segment.header).copy(buffer);
  }

  /** Bytes that only the buffer has. */
  get bufferedBytes(): number {
    return this.filled;
  }

  /** Appends a record of `bytes`. @throws what the file system throws; then the record is not there. */
  append(event: Event, bytes: number, receivedWallMs: number, isThrough: boolean): void {
    const { segment } = this;
    const { salt } = segment.header;
    if (this.filled + bytes > this.buffer.length) this.flush();
    if (bytes > this.buffer.length) {
      const large = Buffer.allocUnsafeSlow(bytes);
      encodeRecord(event, segment.records, receivedWallMs, salt, large, 0);
      this.write(large, this.bufferStart);
      this.bufferStart += bytes;
    } else {
      encodeRecord(event, segment.records, receivedWallMs, salt, this.buffer, this.filled);
      this.filled += bytes;
      if (isThrough) this.flushOrTakeBack(bytes);
    }
    segment.append(event, bytes, receivedWallMs);
  }

  /** Writes what is buffered. @throws what the file system throws. */
  flush(): void {
    if (this.filled === 0) return;
    this.write(this.buffer.subarray(0, this.filled), this.bufferStart);
    this.bufferStart += this.filled;
    this.filled = 0;
  }

  /** Completes the segment and closes it. @throws what the file system throws; then it is open still. */
  seal(): void {
    this.flush();
    const { segment } = this;
    this.write(encodeSeal(segment, segment.header.salt), segment.dataEnd);
    segment.isSealed = true;
    segment.fileBytes = segment.dataEnd + SEAL_BYTES;
    this.close();
  }

  /** Closes without completing it; what is buffered is gone. */
  close(): void {
    if (this.file < 0) return;
    this.files.close(this.file);
    this.file = -1;
    this.filled = 0;
  }

  /** Reads what is buffered as well as what is written. */
  read(target: Buffer, position: number): number {
    const written = Math.min(Math.max(this.bufferStart - position, 0), target.length);
    if (written > 0) {
      const count = this.files.read(this.file, target.subarray(0, written), position);
      if (count < written || written === target.length) return count;
    }
    const from = position + written - this.bufferStart;
    return written + this.buffer.copy(target, written, from, Math.min(this.filled, from + target.length - written));
  }

  private write(bytes: Buffer, position: number): void {
    const startMs = this.clock.now();
    this.files.write(this.file, bytes, position);
    this.writeSeconds.observe((this.clock.now() - startMs) / 1000);
  }

  private flushOrTakeBack(bytes: number): void {
    try {
      this.flush();
    } catch (error) {
      this.filled -= bytes;
      throw error;
    }
  }
}
