/**
 * HOT. The Huffman code of HPACK, encoded by table and decoded four bits a step.
 *
 * The code is canonical: among codes of one length, symbols ascend; so the lengths say everything, and both tables are
 * built from them when the module loads (16 KiB for the decoder, once per process).
 * @source RFC 7541 §5.2 and Appendix B.
 */

/** Symbols by code length. 256 is EOS. */
const SYMBOLS_BY_LENGTH: readonly (readonly [number, string])[] = [
  [5, '48-50 97 99 101 105 111 115 116'],
  [6, '32 37 45-47 51-57 61 65 95 98 100 102-104 108-110 112 114 117'],
  [7, '58 66-87 89 106 107 113 118-122'],
  [8, '38 42 44 59 88 90'],
  [10, '33 34 40 41 63'],
  [11, '39 43 124'],
  [12, '35 62'],
  [13, '0 36 64 91 93 126'],
  [14, '94 125'],
  [15, '60 96 123'],
  [19, '92 195 208'],
  [20, '128 130 131 162 184 194 224 226'],
  [21, '153 161 167 172 176 177 179 209 216 217 227 229 230'],
  [22, '129 132-134 136 146 154 156 160 163 164 169 170 173 178 181 185-187 189 190 196 198 228 232 233'],
  [23, '1 135 137-141 143 147 149-152 155 157 158 165 166 168 174 175 180 182 183 188 191 197 231 239'],
  [24, '9 142 144 145 148 159 171 206 215 225 236 237'],
  [25, '199 207 234 235'],
  [26, '192 193 200-202 205 210 213 218 219 238 240 242 243 255'],
  [27, '203 204 211 212 214 221-223 241 244-248 250-254'],
  [28, '2-8 11 12 14-21 23-31 127 220 249'],
  [30, '10 13 22 256'],
];

const EOS = 256;
const CODES = new Uint32Array(EOS + 1);
const LENGTHS = new Uint8Array(EOS + 1);

// One decoder state is one inner node of the code's tree; a step takes four bits.
//   entry = next state (bits 0-7) | symbol (bits 8-15) | EMIT | FAIL
const EMIT = 1 << 16;
const FAIL = 1 << 17;
const STEPS = new Int32Array(256 * 16);
/** 1 for states in which a string may end: at most 7 bits since the last symbol, all ones. */
const MAY_END = new Uint8Array(256);

buildCodes();
buildSteps();

function buildCodes(): void {
  let code = 0;
  let previousLength = 0;
  for (const [length, ranges] of SYMBOLS_BY_LENGTH) {
    code *= 2 ** (length - previousLength);
    previousLength = length;
    for (const range of ranges.split(' ')) {
      const [first, last = first] = range.split('-').map(Number);
      for (let symbol = first!; symbol <= last!; symbol++) {
        CODES[symbol] = code++;
        LENGTHS[symbol] = length;
      }
    }
  }
}

function buildSteps(): void {
  // children[node * 2 + bit]: 0 = none yet, positive = inner node, negative = ~symbol.
  const children = new Int32Array(256 * 2);
  let nodes = 1;
  for (let symbol = 0; symbol <= EOS; symbol++) {
    let node = 0;
    for (let shift = LENGTHS[symbol]! - 1; shift > 0; shift--) {
      const slot = node * 2 + ((CODES[symbol]! >>> shift) & 1);
      if (children[slot] === 0) children[slot] = nodes++;
      node = children[slot]!;
    }
    children[node * 2 + (CODES[symbol]! & 1)] = ~symbol;
  }
  for (let state = 0; state < 256; state++) {
    for (let nibble = 0; nibble < 16; nibble++) STEPS[state * 16 + nibble] = walk(children, state, nibble);
  }
  for (let depth = 0, node = 0; depth <= 7; depth++) {
    MAY_END[node] = 1;
    node = children[node * 2 + 1]!;
  }
}

function walk(children: Int32Array, state: number, nibble: number): number {
  let node = state;
  let emitted = 0;
  for (let shift = 3; shift >= 0; shift--) {
    node = children[node * 2 + ((nibble >>> shift) & 1)]!;
    if (node >= 0) continue;
    if (~node === EOS) return FAIL;
    emitted = EMIT | (~node << 8);
    node = 0;
  }
  return node | emitted;
}

/**
 * Decodes `bytes[start, end)` into `out`, which has room for 8/5 of the input.
 * @returns count of decoded bytes, or -1: EOS inside, or padding that is longer than 7 bits or not all ones.
 * @cost No allocation.
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number, out: Uint8Array): number {
  let state = 0;
  let count = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    let step = STEPS[(state << 4) | (byte >>> 4)]!;
    if (step >= EMIT) {
      if (step >= FAIL) return -1;
      out[count++] = (step >>> 8) & 0xff;
    }
    step = STEPS[((step & 0xff) << 4) | (byte & 15)]!;
    if (step >= EMIT) {
      if (step >= FAIL) return -1;
      out[count++] = (step >>> 8) & 0xff;
    }
    state = step & 0xff;
  }
  return MAY_END[state] === 1 ? count : -1;
}

/** Bytes the Huffman form of a latin1 string takes. */
export function huffmanLength(text: string): number {
  let bits = 0;
  for (let index = 0; index < text.length; index++) bits += LENGTHS[text.charCodeAt(index) & 0xff]!;
  return (bits + 7) >>> 3;
}

/**
 * Writes the Huffman form of a latin1 string at `at`; the caller has made room for `huffmanLength(text)` bytes.
 * @returns the position behind it.
 */
export function encodeHuffman(text: string, out: Uint8Array, at: number): number {
  // At most 7 bits wait between symbols, and a code has at most 30: `held` takes codes in pieces of at most 24 bits.
  let held = 0;
  let heldBits = 0;
  let position = at;
  for (let index = 0; index < text.length; index++) {
    const symbol = text.charCodeAt(index) & 0xff;
    let code = CODES[symbol]!;
    let length = LENGTHS[symbol]!;
    if (length > 24) {
      held = (held << (length - 24)) | (code >>> 24);
      heldBits += length - 24;
      code &= 0xffffff;
      length = 24;
      if (heldBits >= 8) {
        heldBits -= 8;
        out[position++] = held >>> heldBits;
        held &= (1 << heldBits) - 1;
      }
    }
    held = (held << length) | code;
    heldBits += length;
    while (heldBits >= 8) {
      heldBits -= 8;
      out[position++] = held >>> heldBits;
    }
    held &= (1 << heldBits) - 1;
  }
  if (heldBits > 0) out[position++] = (held << (8 - heldBits)) | (0xff >>> heldBits);
  return position;
}
