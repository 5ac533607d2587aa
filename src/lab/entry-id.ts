/**
 * HOT. The number plate of a simulated access-log entry: which Envoy wrote it, as its how-manieth, and when. It lies in
 * the entry's own `common_properties.stream_id`, which a real Envoy fills with a UUID of the same form.
 * @shape 36 ASCII chars `EEEEEEEE-SSSS-7SSS-aSSS-TTTTTTTTTTTT`, lower-case hex: E Envoy index, S sequence number
 *   (40 bits, from 1), T wall clock in milliseconds (48 bits). Version 7 tells it from the version 4 of a real Envoy.
 */
export const ENTRY_ID_BYTES = 36;

/** Stands in templates where `writeEntryId` will write. */
export const ENTRY_ID_PLACEHOLDER = '00000000-0000-7000-a000-000000000000';

const HEX = Buffer.from('0123456789abcdef', 'latin1');
const DASH = 0x2d;
const VERSION = 0x37;
const VARIANT = 0x61;

/** What `readEntryId` found; one instance is reused by its reader. */
export class EntryId {
  envoy = 0;
  sequence = 0;
  /** @units Unix milliseconds */
  sentAtMs = 0;
}

/** Overwrites the 36 bytes at `at`; dashes, version and variant stand there already. */
export function writeEntryId(bytes: Uint8Array, at: number, envoy: number, sequence: number, sentAtMs: number): void {
  writeHex(bytes, at, 8, envoy);
  const high = Math.floor(sequence / 0x1000000);
  const low = sequence % 0x1000000;
  writeHex(bytes, at + 9, 4, high);
  writeHex(bytes, at + 15, 3, low >>> 12);
  writeHex(bytes, at + 20, 3, low & 0xfff);
  writeHex(bytes, at + 24, 6, Math.floor(sentAtMs / 0x1000000));
  writeHex(bytes, at + 30, 6, sentAtMs % 0x1000000);
}

/** @returns false when the bytes are not one of our ids (a real Envoy's UUID). */
export function readEntryId(bytes: Uint8Array, at: number, out: EntryId): boolean {
  if (bytes[at + 14] !== VERSION || bytes[at + 19] !== VARIANT || bytes[at + 8] !== DASH) return false;
  const envoy = readHex(bytes, at, 8);
  const high = readHex(bytes, at + 9, 4);
  const middle = readHex(bytes, at + 15, 3);
  const low = readHex(bytes, at + 20, 3);
  const timeHigh = readHex(bytes, at + 24, 6);
  const timeLow = readHex(bytes, at + 30, 6);
  if (envoy < 0 || high < 0 || middle < 0 || low < 0 || timeHigh < 0 || timeLow < 0) return false;
  out.envoy = envoy;
  out.sequence = high * 0x1000000 + middle * 0x1000 + low;
  out.sentAtMs = timeHigh * 0x1000000 + timeLow;
  return true;
}

function writeHex(bytes: Uint8Array, at: number, digits: number, value: number): void {
  for (let position = at + digits - 1; position >= at; position--) {
    bytes[position] = HEX[value & 15]!;
    value >>>= 4;
  }
}

/** @returns -1 when a digit is not lower-case hex. */
function readHex(bytes: Uint8Array, at: number, digits: number): number {
  let value = 0;
  for (let position = at; position < at + digits; position++) {
    const char = bytes[position]!;
    let digit: number;
    if (char >= 0x30 && char <= 0x39) digit = char - 0x30;
    else if (char >= 0x61 && char <= 0x66) digit = char - 0x57;
    else return -1;
    value = value * 16 + digit;
  }
  return value;
}
