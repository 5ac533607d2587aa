/** Looking things up in header fields, and the binary ones (`-bin`) of gRPC. */
import type { HeaderFields } from '../http2/contract.js';

/** Value of the first field named `name`, or undefined. */
export function fieldOf(fields: HeaderFields, name: string): string | undefined {
  for (let index = 0; index < fields.length; index += 2) if (fields[index] === name) return fields[index + 1];
  return undefined;
}

/** Values of every field named `name`; a `-bin` field, which may join several with commas, is split and decoded. */
export function binaryFieldsOf(fields: HeaderFields, name: string): Buffer[] {
  const values: Buffer[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    if (fields[index] !== name) continue;
    // Both padded and unpadded base64 are legal; Buffer takes either.
    for (const item of fields[index + 1]!.split(',')) values.push(Buffer.from(item.trim(), 'base64'));
  }
  return values;
}

/** Value of a `-bin` field: base64 without padding. */
export function encodeBinaryValue(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return text.replace(/=+$/, '');
}

const RESERVED = new Set(['content-type', 'te', 'user-agent', 'accept-encoding', 'content-length', 'host']);

/** The fields that belong to the application: no pseudo-headers, none of gRPC's or HTTP's own. */
export function customMetadataOf(fields: HeaderFields): string[] {
  const custom: string[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index]!;
    if (name.startsWith(':') || name.startsWith('grpc-') || RESERVED.has(name)) continue;
    custom.push(name, fields[index + 1]!);
  }
  return custom;
}

const FRAME_OF_ANSWER = new Set([...RESERVED, 'grpc-status', 'grpc-message', 'grpc-encoding', 'grpc-accept-encoding']);

/**
 * The fields of an answer's headers or of its end that go on to another caller. What frames the answer and its status are
 * left out, for the next hop writes them itself: also at the end, where an answer of trailers only has its headers.
 */
export function passedFieldsOf(fields: HeaderFields): string[] {
  const passed: string[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index]!;
    if (!name.startsWith(':') && !FRAME_OF_ANSWER.has(name)) passed.push(name, fields[index + 1]!);
  }
  return passed;
}
