/**
 * HOT. Reads Envoy's access-log messages, v2 and v3, which agree in all that matters here:
 *
 *     StreamAccessLogsMessage { identifier = 1, oneof { http_logs = 2 { log_entry = 1 … }, tcp_logs = 3 { log_entry = 1 … } } }
 *
 * The identifier is copied out and cut from the payload; entries are counted by walking lengths. Entries themselves are
 * never looked into.
 */
import type { Message } from '../../net/grpc/contract.js';
import { readIdentifier } from './identifier.js';
import { copyRange, cutRanges } from './payload.js';
import type { Range } from './payload.js';
import { NO_MESSAGE, READ } from './reader.js';
import type { MessageReader, ReadCode } from './reader.js';
import { FieldScanner, WIRE } from './scanner.js';

const IDENTIFIER_TAG = (1 << 3) | WIRE.bytes;
const HTTP_LOGS_TAG = (2 << 3) | WIRE.bytes;
const TCP_LOGS_TAG = (3 << 3) | WIRE.bytes;
const LOG_ENTRY_TAG = (1 << 3) | WIRE.bytes;

/** A scratch buffer larger than this is not kept for the next identifier. Stock Envoys send 63 KB. */
const MAX_SCRATCH_BYTES = 256 * 1024;

/** Where an identifier lies in its message: the whole field is the range, its body begins at `bodyStart`. */
class IdentifierRange implements Range {
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;

  constructor(start: number, bodyStart: number, end: number) {
    this.start = start;
    this.bodyStart = bodyStart;
    this.end = end;
  }
}

export class AlsReader implements MessageReader {
  payload: Message = NO_MESSAGE;
  entries = 0;
  carriesIdentity = false;
  identity: Uint8Array | null = null;
  readonly keyHash = 0;
  readonly cutsIdentity = true;
  private readonly isCompact: boolean;
  private readonly scanner = new FieldScanner();
  private scratch = new Uint8Array(4096);

  constructor(isCompact: boolean) {
    this.isCompact = isCompact;
  }

  read(message: Message, current: Uint8Array | null): ReadCode {
    const scanner = this.scanner;
    const end = message.length;
    let ranges: IdentifierRange[] | null = null;
    let logsTag = 0;
    this.entries = 0;
    this.identity = null;
    scanner.start(message);
    while (scanner.position < end && !scanner.failed) {
      const start = scanner.position;
      const tag = scanner.readTag();
      if (tag === HTTP_LOGS_TAG || tag === TCP_LOGS_TAG) {
        // Of a oneof the last member counts; the same member twice is merged.
        if (tag !== logsTag) this.entries = 0;
        logsTag = tag;
        this.countEntries(scanner.readLength(end));
      } else if (tag === IDENTIFIER_TAG) {
        const length = scanner.readLength(end);
        const bodyStart = scanner.position;
        scanner.skip(length);
        ranges ??= [];
        ranges.push(new IdentifierRange(start, bodyStart, bodyStart + length));
      } else {
        scanner.skipValue(tag, end);
      }
    }
    const failed = scanner.failed;
    scanner.stop();
    this.carriesIdentity = ranges !== null;
    if (failed) return this.refuse();
    if (ranges === null) {
      this.payload = message;
      return READ.ok;
    }
    if (!this.takeIdentity(message, ranges, current)) return this.refuse();
    this.payload = cutRanges(message, ranges);
    return READ.ok;
  }

  private countEntries(length: number): void {
    const scanner = this.scanner;
    const end = scanner.position + length;
    while (scanner.position < end && !scanner.failed) {
      const tag = scanner.readTag();
      if (tag === LOG_ENTRY_TAG) {
        this.entries++;
        scanner.skip(scanner.readLength(end));
      } else {
        scanner.skipValue(tag, end);
      }
    }
  }

  /** Several identifiers in one message are one, concatenated: that is how protobuf merges them. */
  private takeIdentity(message: Message, ranges: readonly IdentifierRange[], current: Uint8Array | null): boolean {
    let length = 0;
    for (let index = 0; index < ranges.length; index++) length += ranges[index]!.end - ranges[index]!.bodyStart;
    if (this.scratch.length < length) this.scratch = new Uint8Array(length);
    let at = 0;
    for (let index = 0; index < ranges.length; index++) {
      const range = ranges[index]!;
      copyRange(message, range.bodyStart, range.end, this.scratch, at);
      at += range.end - range.bodyStart;
    }
    const body = readIdentifier(this.scratch.subarray(0, length), this.isCompact);
    if (body !== null) this.identity = encodeIdentity(body, current);
    if (this.scratch.length > MAX_SCRATCH_BYTES) this.scratch = new Uint8Array(4096);
    return body !== null;
  }

  private refuse(): ReadCode {
    this.entries = 0;
    this.identity = null;
    this.payload = NO_MESSAGE;
    return READ.malformed;
  }
}

/** The identifier as a field of its own, in an owned buffer; null when `current` is the same. */
function encodeIdentity(body: Uint8Array, current: Uint8Array | null): Uint8Array | null {
  const head = [IDENTIFIER_TAG];
  for (let rest = body.length; ; rest >>>= 7) {
    head.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
    if (rest < 0x80) break;
  }
  const headLength = head.length;
  if (current !== null && current.length === headLength + body.length) {
    if (Buffer.compare(current.subarray(headLength), body) === 0) return null;
  }
  const encoded = Buffer.allocUnsafeSlow(headLength + body.length);
  encoded.set(head);
  encoded.set(body, headLength);
  return encoded;
}
