/**
 * Sticky routing by rendezvous hashing: every process sends the same key to the same endpoint, whatever the order in
 * which it learned of the endpoints, and an endpoint that joins or leaves moves only its own part of the keys.
 * @source Thaler & Ravishankar, "Using name-based mappings to increase hit rates" (1998): highest random weight.
 */

/** 32-bit FNV-1a of bytes, continued from `seed`. */
export function hashBytes(bytes: Uint8Array, seed = 0x811c9dc5): number {
  let hash = seed >>> 0;
  for (let index = 0; index < bytes.length; index++) hash = Math.imul(hash ^ bytes[index]!, 0x01000193);
  return hash >>> 0;
}

/** Score of one endpoint for one key; both as hashes. @source finalizer of MurmurHash3: every input bit reaches every output bit. */
function score(keyHash: number, endpointHash: number): number {
  let mixed = keyHash ^ Math.imul(endpointHash, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * The endpoint of a key.
 * `endpointHashes`: `hashBytes` of each endpoint's label; of equal scores the greater hash wins, so order never matters.
 * @returns an index, or -1 when there are none.
 * @cost O(n), no allocation.
 */
export function pickByKey(keyHash: number, endpointHashes: readonly number[]): number {
  let chosen = -1;
  let best = -1;
  for (let index = 0; index < endpointHashes.length; index++) {
    const current = score(keyHash, endpointHashes[index]!);
    if (current < best || (current === best && endpointHashes[index]! <= endpointHashes[chosen]!)) continue;
    chosen = index;
    best = current;
  }
  return chosen;
}
