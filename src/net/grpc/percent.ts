/**
 * Percent coding of grpc-message: UTF-8 bytes, those outside 0x20–0x7E and `%` as `%XX`.
 * @source gRPC PROTOCOL-HTTP2 "Status-Message".
 */
const NEEDS_CODING = /[^\x20-\x24\x26-\x7e]/;

/** Text to a header value. */
export function encodeStatusMessage(text: string): string {
  if (!NEEDS_CODING.test(text)) return text;
  let coded = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    coded +=
      byte < 0x20 || byte > 0x7e || byte === 0x25
        ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
        : String.fromCharCode(byte);
  }
  return coded;
}

/** Header value (latin1) to text. Never fails: what is not a valid code stays as it is, as the protocol asks. */
export function decodeStatusMessage(value: string): string {
  const bytes = Buffer.alloc(value.length);
  let length = 0;
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    const hex = code === 0x25 ? value.slice(index + 1, index + 3) : '';
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      bytes[length++] = parseInt(hex, 16);
      index += 2;
    } else {
      bytes[length++] = code;
    }
  }
  return bytes.toString('utf8', 0, length);
}
