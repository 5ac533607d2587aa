/** The simulated messages beside what a real Envoy 1.40 sent (figures of recorded messages). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeEntry } from '../../../../src/lab/fleet/access-log-entry.js';
import { envoyOfNodeId, IdentityEncoder, nodeId } from '../../../../src/lab/fleet/identity.js';
import { encodeLogs } from '../../../../src/lab/fleet/message-template.js';
import { DEFAULT_FLEET_OPTIONS } from '../../../../src/lab/fleet/options.js';
import { AlsMessage, AlsReader } from '../../../../src/lab/oap/als-reader.js';

/** A real identifier with all of its 516 extensions, and how much of it these are. */
const REAL_IDENTIFIER_BYTES = 62_925;
const REAL_IDENTIFIER_WITHOUT_EXTENSIONS = REAL_IDENTIFIER_BYTES - 60_916;
/** A real first and later message of a busy logger: Envoy's buffer of 16 KB is a soft threshold. */
const REAL_FULL_MESSAGE_BYTES = [16_384, 16_900] as const;
/** What a real HTTP and TCP entry have beyond names and addresses: the bare entries of a test bed. */
const REAL_SMALL_ENTRY_BYTES = 287;
const LOG_NAME = 'http_envoy_accesslog';

function topFields(bytes: Uint8Array): Map<number, number> {
  const sizes = new Map<number, number>();
  for (let at = 0; at < bytes.length;) {
    const field = bytes[at]! >>> 3;
    let size = 0;
    let shift = 0;
    let next = at + 1;
    if ((bytes[at]! & 7) === 2) {
      for (; bytes[next]! >= 128; next++, shift += 7) size |= (bytes[next]! & 127) << shift;
      size |= bytes[next]! << shift;
    }
    next++;
    sizes.set(field, (sizes.get(field) ?? 0) + next - at + size);
    at = next + size;
  }
  return sizes;
}

test('a small identifier is as large as a real one without extensions', () => {
  const identifier = new IdentityEncoder(DEFAULT_FLEET_OPTIONS.identifierBytes).encode(17, LOG_NAME);
  assert.ok(Math.abs(identifier.length - REAL_IDENTIFIER_WITHOUT_EXTENSIONS) < 200, `${identifier.length} bytes`);
});

test('a large identifier is nearly all extensions, as a stock Envoy sends it', () => {
  const identifier = new IdentityEncoder(REAL_IDENTIFIER_BYTES).encode(17, LOG_NAME);
  assert.ok(identifier.length <= REAL_IDENTIFIER_BYTES + 16);
  assert.ok(identifier.length > REAL_IDENTIFIER_BYTES - 200, `${identifier.length} bytes`);
  const node = identifier.subarray(4, identifier.length - LOG_NAME.length - 2);
  const extensions = topFields(node).get(9) ?? 0;
  assert.ok(extensions > 0.95 * identifier.length);
});

test('identifiers of different Envoys differ in their node id, which names the Envoy', () => {
  for (const envoy of [0, 1, 299, 65_536]) assert.equal(envoyOfNodeId(nodeId(envoy)), envoy);
  assert.match(nodeId(300), /^sidecar~10\.0\.1\.44~[a-z]+-v1-300\.mesh~mesh\.svc\.cluster\.local$/);
  assert.equal(envoyOfNodeId('sidecar~10.1.2.3~app-1.ns~ns.svc.cluster.local'), -1);
});

test('a full message is as large as a real one, with as many entries as Istio fits in', () => {
  const { entriesPerMessage, entryBytes } = DEFAULT_FLEET_OPTIONS;
  const message = encodeLogs('http', entriesPerMessage, entryBytes);
  const [low, high] = REAL_FULL_MESSAGE_BYTES;
  assert.ok(message.length >= low && message.length <= high, `${message.length} bytes`);
});

test('an entry is exactly as large as asked', () => {
  for (const kind of ['http', 'tcp'] as const) {
    for (const bytes of [900, 1200, 1250, 8200]) {
      for (let number = 0; number < 13; number++) assert.equal(encodeEntry(kind, number, bytes).length, bytes);
    }
  }
});

test('an entry without padding still has all that a real one has', () => {
  const bare = encodeEntry('http', 0, 0);
  assert.ok(bare.length > REAL_SMALL_ENTRY_BYTES);
  assert.deepEqual([...topFields(bare).keys()], [1, 2, 3, 4]);
  assert.deepEqual([...topFields(encodeEntry('tcp', 0, 0)).keys()], [1, 2]);
});

test('the fake OAP finds identifier, entries and stream ids in what the fleet makes', () => {
  const identifier = new IdentityEncoder(5000).encode(42, LOG_NAME);
  const logs = encodeLogs('tcp', 3, 1000);
  const length = Buffer.from([(identifier.length & 127) | 128, identifier.length >>> 7]);
  const message = Buffer.concat([Buffer.from([0x0a]), length, identifier, logs]);
  const found = new AlsMessage();
  new AlsReader().read(message, message.length, Infinity, found);
  assert.equal(found.isMalformed, false);
  assert.equal(found.identifierBytes, 3 + identifier.length);
  assert.equal(message.toString('latin1', found.nodeIdStart, found.nodeIdEnd), nodeId(42));
  assert.equal(found.entries, 3);
  assert.equal(found.streamIds.filter((at) => at > 0).length, 3);
});
