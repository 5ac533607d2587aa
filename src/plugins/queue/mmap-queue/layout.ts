/**
 * The disk queue: an essay on what it must do, how its files look, and what it leaves to others.
 *
 * Constraints
 * - Nothing that was accepted is lost by a crash of the process once it was written, nor by a crash of the machine once it
 *   was synced; `fsync` decides when that is. What was settled may come again (at least once), never the reverse.
 * - A damaged byte costs its record, a damaged header its file; nothing stops the start, nothing damaged is delivered.
 * - Start and memory do not grow with the backlog: a sealed file says at its end what is in it.
 * - Space comes back by deleting whole files, so a full disk can always be drained.
 * - Few open files: one for each partition that is being written; readers open, read and close.
 * - A file that is not ours is never touched.
 *
 * Files
 *
 *     <directory>/<pipe>/lock                            who uses it (lock.ts)
 *     <directory>/<pipe>/partition-<n>/<id>.segment      events, in the order they came; ids grow and are not used again
 *     <directory>/<pipe>/partition-<n>/<id>.settled      which of them are settled, while only some are
 *
 *     segment     header | record | record | … | seal          numbers are little-endian
 *
 *     header      64 bytes: magic 8 | id f64 | created wall ms f64 | salt u32 | data type, 32 bytes of text | crc u32
 *     record      magic u32 | length u32 | crc u32 | payload                           (record.ts)
 *     seal        96 bytes: magic 8 | end of records f64 | records f64 | totals 5 × f64 | oldest and newest event, wall
 *                 ms, 2 × f64 | salt u32 | 4 bytes unused | crc u32                    written when the file is complete
 *     settled     64 bytes and 4 for each number: magic 8 | salt u32 | count u32 | below u32 | totals 5 × f64 | crc u32 |
 *                 numbers u32; records with a number under `below`, and those listed, are settled
 *
 * The checksum is CRC-32 as zlib has it, which runs at the speed of the CPU's own instructions. In records it starts from
 * the segment's random salt: neither a leftover of another file nor a message that contains a record is taken for one.
 *
 * Writing. Records gather in a buffer, which is written when it is full or `flush_period` has passed; with fsync `always`
 * at once. A write that fails (no space) leaves the buffer as it was; the same bytes go to the same place later, and until
 * then the queue is full. A segment that has grown to its size is sealed and the next one begins; a larger event has a
 * segment of its own. One that is settled entirely is deleted, or never completed.
 *
 * Reading. The oldest events stay in memory as they came, up to `max_in_mem_segments`. What does not fit is let go and
 * read again when those before it have been taken. Within a segment what is in memory is always what comes before
 * `loadedEnd`; what comes after it is unread.
 *
 *     header | settled | in memory or on its way | unread | in the write buffer
 *                                                ^ loadedEnd                  ^ dataEnd
 *
 * Start. Sealed segments are known by their last 96 bytes. Others (the one being written at a crash) are scanned, cut
 * after their last record and sealed. Directories of partitions that are no more are read by the partitions there are.
 *
 * What it does not do: compact, compress, encrypt, or keep order between a backlog and new data of the same key when the
 * number of partitions has changed.
 */
export const SEGMENT_MAGIC = Buffer.from('SATQSEG1', 'latin1');
export const SEAL_MAGIC = Buffer.from('SATQEND1', 'latin1');
export const SETTLED_MAGIC = Buffer.from('SATQSET1', 'latin1');
/** Of any version: tells a newer format from damage. */
export const SEGMENT_MAGIC_PREFIX = 'SATQSEG';

export const HEADER_BYTES = 64;
export const SEAL_BYTES = 96;

/** Digits of an id in a file name: they sort as they count. */
const ID_DIGITS = 12;

export const LOCK_FILE = 'lock';
const PARTITION_NAME = /^partition-(\d{1,6})$/;
const FILE_NAME = /^(\d{12})\.(segment|settled)$/;
/** Files of the original's queue of this name. */
const ORIGINAL_FILE = /^(meta\.dat|\d+_segment\.dat)$/;

export function partitionName(partition: number): string {
  return `partition-${partition}`;
}

/** The partition that a directory is for, or -1. */
export function partitionOf(name: string): number {
  const match = PARTITION_NAME.exec(name);
  return match === null ? -1 : Number(match[1]);
}

export function segmentName(id: number): string {
  return `${String(id).padStart(ID_DIGITS, '0')}.segment`;
}

export function settledName(id: number): string {
  return `${String(id).padStart(ID_DIGITS, '0')}.settled`;
}

/** What a file in a partition's directory is by its name, or null when it is not ours. */
export function parseFileName(name: string): { readonly id: number; readonly isSegment: boolean } | null {
  const match = FILE_NAME.exec(name);
  return match === null ? null : { id: Number(match[1]), isSegment: match[2] === 'segment' };
}

export function isOriginalFile(name: string): boolean {
  return ORIGINAL_FILE.test(name);
}
