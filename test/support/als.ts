/** Builds access-log messages like Envoy's, and reads them back with an independent protobuf reader. */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { MAX_BLOCK_BYTES } from '../../src/base/index.js';
import type { Message } from '../../src/net/grpc/contract.js';
import { SlicedMessage } from '../../src/net/grpc/sliced-message.js';
import { PoisonPool } from './poison-pool.js';

/** What an identifier names, for building one. */
export interface IdentifierShape {
  readonly nodeId: string;
  readonly logName?: string;
  /** Entries of node.extensions, 118 bytes each as in a stock Envoy. */
  readonly extensions?: number;
  readonly metadataBytes?: number;
}

/** The body of an Identifier message. */
export function encodeIdentifier(shape: IdentifierShape): Uint8Array {
  const node = new BinaryWriter();
  node.tag(1, WireType.LengthDelimited).string(shape.nodeId);
  node.tag(2, WireType.LengthDelimited).string('cluster');
  if (shape.metadataBytes !== undefined) {
    node.tag(3, WireType.LengthDelimited).bytes(new Uint8Array(shape.metadataBytes).fill(7));
  }
  node.tag(6, WireType.LengthDelimited).string('envoy');
  for (let index = 0; index < (shape.extensions ?? 0); index++) {
    node.tag(9, WireType.LengthDelimited).fork();
    node.tag(1, WireType.LengthDelimited).string(`envoy.filters.http.extension_${index}`.padEnd(60, '_'));
    node.tag(2, WireType.LengthDelimited).string('envoy.filters.http'.padEnd(54, '.'));
    node.join();
  }
  if (shape.extensions !== undefined) {
    node.tag(10, WireType.LengthDelimited).string('envoy.lb.does_not_support_overprovisioning');
    node.tag(11, WireType.LengthDelimited).bytes(new Uint8Array([10, 2, 8, 1]));
  }
  // A field of the future: passes.
  node.tag(100, WireType.Varint).uint32(1);
  const identifier = new BinaryWriter();
  identifier.tag(1, WireType.LengthDelimited).bytes(node.finish());
  identifier.tag(2, WireType.LengthDelimited).string(shape.logName ?? 'http_envoy_accesslog');
  return identifier.finish();
}

/** One StreamAccessLogsMessage with an entry for each text; the texts come back from `decodeEntries`. */
export function encodeAls(
  entries: readonly string[],
  options: { identifier?: Uint8Array; isTcp?: boolean; entryBytes?: number } = {},
): Uint8Array {
  const logs = new BinaryWriter();
  for (const entry of entries) {
    logs.tag(1, WireType.LengthDelimited).fork();
    logs.tag(1, WireType.LengthDelimited).string(entry);
    if (options.entryBytes !== undefined) {
      logs.tag(2, WireType.LengthDelimited).bytes(new Uint8Array(options.entryBytes).fill(120));
    }
    logs.join();
  }
  const message = new BinaryWriter();
  if (options.identifier !== undefined) message.tag(1, WireType.LengthDelimited).bytes(options.identifier);
  message.tag(options.isTcp === true ? 3 : 2, WireType.LengthDelimited).bytes(logs.finish());
  return message.finish();
}

/** A decoded access-log message. */
export interface DecodedAls {
  /** Node id of the identifier; undefined without one. */
  readonly nodeId: string | undefined;
  readonly identifier: Uint8Array | undefined;
  readonly entries: readonly string[];
}

export function decodeAls(bytes: Uint8Array): DecodedAls {
  const reader = new BinaryReader(bytes);
  let identifier: Uint8Array | undefined;
  const entries: string[] = [];
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === 1) identifier = reader.bytes();
    else if (field === 2 || field === 3) decodeLogs(reader.bytes(), entries);
    else reader.skip(wire);
  }
  return { nodeId: identifier === undefined ? undefined : (nodeIdOf(identifier) ?? ''), identifier, entries };
}

/** Field numbers at the top level of a message. */
export function fieldNumbers(bytes: Uint8Array): readonly number[] {
  const reader = new BinaryReader(bytes);
  const numbers: number[] = [];
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    numbers.push(field);
    reader.skip(wire);
  }
  return numbers;
}

/** The bytes of the first field `number`. */
export function bytesField(bytes: Uint8Array, number: number): Uint8Array | undefined {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === number && wire === WireType.LengthDelimited) return reader.bytes();
    reader.skip(wire);
  }
  return undefined;
}

function decodeLogs(bytes: Uint8Array, into: string[]): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === 1) into.push(Buffer.from(bytesField(reader.bytes(), 1) ?? []).toString());
    else reader.skip(wire);
  }
}

function nodeIdOf(identifier: Uint8Array): string | undefined {
  const node = bytesField(identifier, 1);
  const id = node === undefined ? undefined : bytesField(node, 1);
  return id === undefined ? undefined : Buffer.from(id).toString();
}

/** Where the messages of tests lie as those that were read. */
export const TEST_BLOCKS = new PoisonPool();

/** A message as it lies in one block, or in memory of its own, cut at the given positions. */
export function messageOf(bytes: Uint8Array, cuts: readonly number[] = []): Message {
  if (cuts.length === 0 && bytes.length > 0 && bytes.length <= MAX_BLOCK_BYTES) return TEST_BLOCKS.messageOf(bytes);
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    if (cut > from || (cut === from && cut < bytes.length)) parts.push(Uint8Array.from(bytes.subarray(from, cut)));
    from = Math.max(from, cut);
  }
  return new SlicedMessage(parts, bytes.length, bytes.length);
}

/** A message in parts of one byte. */
export function messageInBytes(bytes: Uint8Array): Message {
  const parts = Array.from(bytes, (byte) => Uint8Array.of(byte));
  return new SlicedMessage(parts, bytes.length, bytes.length);
}

export function bytesOf(message: Message): Uint8Array {
  return Buffer.concat(message.parts);
}
