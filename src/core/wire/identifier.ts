/**
 * Envoy's identifier, compacted: `node.extensions`, `node.client_features` and `node.listening_addresses` list what the
 * Envoy could do; no backend reads them, and a stock Envoy's extensions alone are 61 KB. Everything else stays as it is.
 *
 *     Identifier { node = 1 { … extensions = 9, client_features = 10, listening_addresses = 11 … }, log_name = 2 }
 *
 * The field numbers are the same in v2 and v3.
 */
import { ByteWriter, Cursor } from '../../base/index.js';
import { WIRE } from './scanner.js';

const IDENTIFIER_NODE = 1;
const NODE_EXTENSIONS = 9;
const NODE_LISTENING_ADDRESSES = 11;

/**
 * The body of an identifier, checked, and without the fields above when `isCompact`.
 * @returns null when `body` is no identifier. @ownership the result is `body` itself when nothing is cut.
 */
export function readIdentifier(body: Uint8Array, isCompact: boolean): Uint8Array | null {
  const cursor = new Cursor(body);
  const writer = new ByteWriter(Math.min(body.length, 4096) + 16);
  let isChanged = false;
  while (cursor.remaining > 0) {
    const start = cursor.position;
    const tag = cursor.readVarint();
    const value = skipField(cursor, tag);
    if (value === null) return null;
    if (tag !== ((IDENTIFIER_NODE << 3) | WIRE.bytes)) {
      writer.writeBytes(body.subarray(start, cursor.position));
      continue;
    }
    const node = compactNode(value);
    if (node === null) return null;
    if (node.length !== value.length) isChanged = true;
    writer.writeVarint(tag).writeVarint(node.length).writeBytes(node);
  }
  return isCompact && isChanged ? writer.take() : body;
}

function compactNode(node: Uint8Array): Uint8Array | null {
  const cursor = new Cursor(node);
  const writer = new ByteWriter(Math.min(node.length, 4096) + 16);
  while (cursor.remaining > 0) {
    const start = cursor.position;
    const tag = cursor.readVarint();
    if (skipField(cursor, tag) === null) return null;
    const field = tag >>> 3;
    if (field >= NODE_EXTENSIONS && field <= NODE_LISTENING_ADDRESSES) continue;
    writer.writeBytes(node.subarray(start, cursor.position));
  }
  return writer.take();
}

/** Steps over the value of a field; returns the body of a bytes field, an empty view for others, null when malformed. */
function skipField(cursor: Cursor, tag: number): Uint8Array | null {
  if (tag < 8 || tag >= 2 ** 32) return null;
  let value = cursor.bytes.subarray(0, 0);
  switch (tag & 7) {
    case WIRE.varint:
      cursor.readVarint();
      break;
    case WIRE.fixed64:
      cursor.skip(8);
      break;
    case WIRE.bytes:
      value = cursor.readBytes(cursor.readVarint());
      break;
    case WIRE.fixed32:
      cursor.skip(4);
      break;
    default:
      return null;
  }
  return cursor.failed ? null : value;
}
