/**
 * HOT. Reads what a fake OAP must know of an access-log message: its identifier, its entries, their number plates. It is
 * written apart from the product's own scanner on purpose: the judge does not share code with the judged.
 */
import { ENTRY_ID_BYTES } from '../entry-id.js';

/** Field numbers of StreamAccessLogsMessage and below (v2 and v3 alike). */
const IDENTIFIER = 1;
const HTTP_LOGS = 2;
const TCP_LOGS = 3;
const IDENTIFIER_NODE = 1;
const NODE_ID = 1;
const LOGS_ENTRY = 1;
const ENTRY_COMMON = 1;
const COMMON_STREAM_ID = 26;

/** Where things lie in one message; reused for each. */
export class AlsMessage {
  /** Bytes of the identifier field with its tag and length; 0: the message has none. */
  identifierBytes = 0;
  /** Bounds of the node id inside the message; empty when there is none. */
  nodeIdStart = 0;
  nodeIdEnd = 0;
  entries = 0;
  isMalformed = false;
  /** Offsets of the entries' stream ids, as many as were asked for; -1: an entry without one. */
  readonly streamIds: number[] = [];
}

export class AlsReader {
  private bytes: Uint8Array = new Uint8Array(0);
  private position = 0;
  /** Tag and bounds of the field that `next` has just read. */
  private field = 0;
  private start = 0;
  private end = 0;

  /** @param idLimit read at most so many stream ids; the entries are counted all. */
  read(bytes: Uint8Array, length: number, idLimit: number, out: AlsMessage): void {
    this.bytes = bytes;
    out.identifierBytes = 0;
    out.nodeIdStart = 0;
    out.nodeIdEnd = 0;
    out.entries = 0;
    out.isMalformed = false;
    out.streamIds.length = 0;
    let at = 0;
    while (at < length) {
      if (!this.next(at, length)) {
        out.isMalformed = true;
        return;
      }
      const fieldStart = at;
      at = this.position;
      if (this.field === IDENTIFIER) {
        out.identifierBytes += at - fieldStart;
        if (!this.readNodeId(this.start, this.end, out)) out.isMalformed = true;
      } else if (this.field === HTTP_LOGS || this.field === TCP_LOGS) {
        if (!this.readLogs(this.start, this.end, idLimit, out)) out.isMalformed = true;
      }
    }
  }

  private readNodeId(from: number, to: number, out: AlsMessage): boolean {
    for (let at = from; at < to;) {
      if (!this.next(at, to)) return false;
      at = this.position;
      if (this.field !== IDENTIFIER_NODE) continue;
      if (!this.find(NODE_ID, this.start, this.end)) return false;
      out.nodeIdStart = this.start;
      out.nodeIdEnd = this.end;
    }
    return true;
  }

  private readLogs(from: number, to: number, idLimit: number, out: AlsMessage): boolean {
    for (let at = from; at < to;) {
      if (!this.next(at, to)) return false;
      at = this.position;
      if (this.field !== LOGS_ENTRY) continue;
      out.entries++;
      if (out.streamIds.length < idLimit) out.streamIds.push(this.findStreamId(this.start, this.end));
    }
    return true;
  }

  private findStreamId(from: number, to: number): number {
    if (!this.find(ENTRY_COMMON, from, to)) return -1;
    if (!this.find(COMMON_STREAM_ID, this.start, this.end)) return -1;
    return this.end - this.start === ENTRY_ID_BYTES ? this.start : -1;
  }

  /** Goes to the first field of this number between the bounds. @returns false when there is none. */
  private find(field: number, from: number, to: number): boolean {
    for (let at = from; at < to; at = this.position) {
      if (!this.next(at, to)) return false;
      if (this.field === field) return true;
    }
    return false;
  }

  /** Reads the field at `at`: number, bounds of its value, and where the next one starts. @returns false: not protobuf. */
  private next(at: number, limit: number): boolean {
    const bytes = this.bytes;
    let tag = 0;
    let shift = 0;
    for (;;) {
      if (at >= limit || shift > 28) return false;
      const byte = bytes[at++]!;
      tag |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) break;
    }
    this.field = tag >>> 3;
    if (this.field === 0) return false;
    this.start = at;
    switch (tag & 7) {
      case 0:
        while (at < limit && bytes[at]! >= 128) at++;
        at++;
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        let size = 0;
        shift = 0;
        for (;;) {
          if (at >= limit || shift > 28) return false;
          const byte = bytes[at++]!;
          size |= (byte & 127) << shift;
          shift += 7;
          if (byte < 128) break;
        }
        if (size < 0) return false;
        this.start = at;
        at += size;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return false;
    }
    if (at > limit) return false;
    this.end = at;
    this.position = at;
    return true;
  }
}
