/**
 * HOT. Messages made once and sent many times. A template is a whole gRPC message already cut into DATA frames; before
 * each use only its stream ids and entry ids are overwritten. A template that the socket could not take at once stays
 * away from the pool until it is written, so what is in flight never changes.
 */
import { ENTRY_ID_BYTES, ENTRY_ID_PLACEHOLDER, writeEntryId } from '../entry-id.js';
import { encodeEntry, type LoggerKind } from './access-log-entry.js';
import { FRAME_DATA, FRAME_HEADER_BYTES, MAX_FRAME_BYTES, writeFrameHeader } from './http2-bytes.js';
import { tag } from './tag.js';
import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** Prefix of a gRPC message. */
export const ENVELOPE_BYTES = 5;
/** Messages of one size kept ready; more are in flight only while sockets are full. */
const POOL_LIMIT = 64;

/** One framed message. */
export class MessageTemplate {
  readonly framed: Buffer;
  /** Bytes that count for flow control: the envelope and the message. */
  readonly creditBytes: number;
  readonly entries: number;
  private readonly frameOffsets: Int32Array;
  private readonly idOffsets: Int32Array;

  constructor(framed: Buffer, creditBytes: number, frameOffsets: Int32Array, idOffsets: Int32Array) {
    this.framed = framed;
    this.creditBytes = creditBytes;
    this.entries = idOffsets.length;
    this.frameOffsets = frameOffsets;
    this.idOffsets = idOffsets;
  }

  /** Writes the ids of entries `firstSequence`, `firstSequence + 1`, … */
  fill(streamId: number, envoy: number, firstSequence: number, sentAtMs: number): void {
    const framed = this.framed;
    for (let index = 0; index < this.frameOffsets.length; index++) {
      const at = this.frameOffsets[index]! + 5;
      framed[at + 2] = streamId >>> 8;
      framed[at + 3] = streamId;
    }
    for (let index = 0; index < this.idOffsets.length; index++) {
      writeEntryId(framed, this.idOffsets[index]!, envoy, firstSequence + index, sentAtMs);
    }
  }

  /** The envelope and message without frame headers, in a buffer of its own. */
  toBody(): Buffer {
    const body = Buffer.allocUnsafeSlow(this.creditBytes);
    let at = 0;
    for (let index = 0; index < this.frameOffsets.length; index++) {
      const start = this.frameOffsets[index]! + FRAME_HEADER_BYTES;
      const end = index + 1 < this.frameOffsets.length ? this.frameOffsets[index + 1]! : this.framed.length;
      at += this.framed.copy(body, at, start, end);
    }
    return body;
  }

  clone(): MessageTemplate {
    const copy = Buffer.allocUnsafeSlow(this.framed.length);
    this.framed.copy(copy);
    return new MessageTemplate(copy, this.creditBytes, this.frameOffsets, this.idOffsets);
  }
}

/** Templates of one logger kind, by number of entries. */
export class TemplatePool {
  private readonly kind: LoggerKind;
  private readonly entryBytes: number;
  private readonly masters: (MessageTemplate | undefined)[] = [];
  private readonly free: MessageTemplate[][] = [];

  constructor(kind: LoggerKind, entryBytes: number) {
    this.kind = kind;
    this.entryBytes = entryBytes;
  }

  take(entries: number): MessageTemplate {
    const ready = this.free[entries];
    if (ready !== undefined && ready.length > 0) return ready.pop()!;
    let master = this.masters[entries];
    if (master === undefined) {
      master = buildTemplate(encodeLogs(this.kind, entries, this.entryBytes));
      this.masters[entries] = master;
      this.free[entries] = [];
    }
    return master.clone();
  }

  give(template: MessageTemplate): void {
    const ready = this.free[template.entries]!;
    if (ready.length < POOL_LIMIT) ready.push(template);
  }
}

/** A `StreamAccessLogsMessage` without identifier, entry ids still placeholders. */
export function encodeLogs(kind: LoggerKind, entries: number, entryBytes: number): Uint8Array {
  const logs = new BinaryWriter();
  for (let number = 0; number < entries; number++) {
    logs.uint32(tag(1)).bytes(encodeEntry(kind, number, entryBytes));
  }
  return new BinaryWriter()
    .uint32(tag(kind === 'http' ? 2 : 3))
    .bytes(logs.finish())
    .finish();
}

/** Cuts an encoded message into DATA frames; a frame ends early rather than inside an entry id. */
export function buildTemplate(message: Uint8Array): MessageTemplate {
  const body = Buffer.alloc(ENVELOPE_BYTES + message.length);
  body.writeUInt32BE(message.length, 1);
  body.set(message, ENVELOPE_BYTES);
  const bodyIds: number[] = [];
  for (let at = body.indexOf(ENTRY_ID_PLACEHOLDER); at >= 0; at = body.indexOf(ENTRY_ID_PLACEHOLDER, at + 1)) {
    bodyIds.push(at);
  }
  const cuts = [0];
  while (cuts[cuts.length - 1]! + MAX_FRAME_BYTES < body.length) {
    let cut = cuts[cuts.length - 1]! + MAX_FRAME_BYTES;
    for (const id of bodyIds) if (id < cut && id + ENTRY_ID_BYTES > cut) cut = id;
    cuts.push(cut);
  }
  const framed = Buffer.alloc(body.length + cuts.length * FRAME_HEADER_BYTES);
  const frameOffsets = new Int32Array(cuts.length);
  cuts.forEach((start, index) => {
    const end = cuts[index + 1] ?? body.length;
    const at = start + index * FRAME_HEADER_BYTES;
    frameOffsets[index] = at;
    writeFrameHeader(framed, at, end - start, FRAME_DATA, 0, 0);
    body.copy(framed, at + FRAME_HEADER_BYTES, start, end);
  });
  const framesBefore = (offset: number): number => cuts.filter((start) => start <= offset).length;
  const idOffsets = Int32Array.from(bodyIds, (offset) => offset + framesBefore(offset) * FRAME_HEADER_BYTES);
  return new MessageTemplate(framed, body.length, frameOffsets, idOffsets);
}
