import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BlockPool } from '../../../../src/base/index.js';
import { SlicedMessage } from '../../../../src/net/grpc/sliced-message.js';
import { AlsReader, READ } from '../../../../src/core/wire/index.js';
import { bytesField, bytesOf, decodeAls, encodeAls, encodeIdentifier, fieldNumbers } from '../../../support/als.js';
import { messageInBytes, messageOf } from '../../../support/als.js';

/** As many as a stock Envoy lists. */
const EXTENSIONS = 516;
const STOCK = encodeIdentifier({ nodeId: 'sidecar~1', extensions: EXTENSIONS, metadataBytes: 1754 });
const SMALL = encodeIdentifier({ nodeId: 'sidecar~1' });

function body(identity: Uint8Array): Uint8Array {
  return bytesField(identity, 1)!;
}

describe('the reader of access-log messages', () => {
  it('cuts the identifier out and counts entries, http and tcp', () => {
    for (const isTcp of [false, true]) {
      const reader = new AlsReader(false);
      assert.equal(reader.read(messageOf(encodeAls(['1', '2', '3'], { identifier: SMALL, isTcp })), null), READ.ok);
      assert.equal(reader.entries, 3);
      assert.deepEqual(body(reader.identity!), Buffer.from(SMALL));
      assert.deepEqual(bytesOf(reader.payload), Buffer.from(encodeAls(['1', '2', '3'], { isTcp })));
    }
  });

  it('passes a message without identifier as it is', () => {
    const reader = new AlsReader(true);
    const message = messageOf(encodeAls(['1']), [2]);
    assert.equal(reader.read(message, body(encodeAls([], { identifier: SMALL }))), READ.ok);
    assert.equal(reader.payload, message);
    assert.equal(reader.carriesIdentity, false);
    assert.equal(reader.identity, null);
  });

  it('reports an identifier only when it differs from the current one', () => {
    const reader = new AlsReader(true);
    const bytes = encodeAls(['1'], { identifier: STOCK });
    reader.read(messageOf(bytes), null);
    const current = reader.identity!;
    reader.read(messageOf(bytes), current);
    assert.equal(reader.carriesIdentity, true);
    assert.equal(reader.identity, null);
    reader.read(messageOf(encodeAls(['1'], { identifier: SMALL })), current);
    assert.equal(decodeAls(reader.identity!).nodeId, 'sidecar~1');
  });

  it('reads the same from a message cut anywhere', () => {
    const bytes = encodeAls(['1', '22', '333'], { identifier: SMALL });
    const payload = Buffer.from(encodeAls(['1', '22', '333']));
    const reader = new AlsReader(true);
    const check = (message: ReturnType<typeof messageOf>, what: string): void => {
      assert.equal(reader.read(message, null), READ.ok, what);
      assert.equal(reader.entries, 3, what);
      assert.deepEqual(bytesOf(reader.payload), payload, what);
      assert.deepEqual(body(reader.identity!), Buffer.from(SMALL), what);
    };
    check(messageInBytes(bytes), 'in bytes');
    for (let cut = 0; cut <= bytes.length; cut++) check(messageOf(bytes, [cut]), `cut ${cut}`);
  });

  it('finds the identifier wherever it stands, and merges several', () => {
    const logs = encodeAls(['1']);
    const first = encodeAls([], { identifier: SMALL }).subarray(0, -2);
    const reader = new AlsReader(false);
    assert.equal(reader.read(messageOf(Buffer.concat([logs, first])), null), READ.ok);
    assert.deepEqual(bytesOf(reader.payload), Buffer.from(logs));
    assert.equal(reader.read(messageOf(Buffer.concat([first, logs, first])), null), READ.ok);
    assert.deepEqual(bytesOf(reader.payload), Buffer.from(logs));
    assert.deepEqual(body(reader.identity!), Buffer.concat([SMALL, SMALL]));
  });

  it('takes an empty identifier for a present one', () => {
    const reader = new AlsReader(true);
    reader.read(messageOf(encodeAls(['1'], { identifier: new Uint8Array() })), null);
    assert.equal(reader.carriesIdentity, true);
    assert.deepEqual(reader.identity, Buffer.from([0x0a, 0]));
  });

  it('counts of a oneof only the member that stands last, as a parser would keep it', () => {
    const reader = new AlsReader(true);
    const both = Buffer.concat([encodeAls(['1', '2']), encodeAls(['3'], { isTcp: true })]);
    reader.read(messageOf(both), null);
    assert.equal(reader.entries, 1);
    reader.read(messageOf(Buffer.concat([encodeAls(['1', '2']), encodeAls(['3'])])), null);
    assert.equal(reader.entries, 3);
  });

  it('passes fields it does not know, at any level', () => {
    const reader = new AlsReader(true);
    const unknown = Uint8Array.from([0xa2, 0x06, 2, 1, 2, 0xa8, 0x06, 5]);
    const bytes = Buffer.concat([unknown, encodeAls(['1']), unknown]);
    assert.equal(reader.read(messageOf(bytes), null), READ.ok);
    assert.equal(reader.entries, 1);
    assert.deepEqual(bytesOf(reader.payload), bytes);
  });

  it('compacts what no backend reads out of the node, and nothing else', () => {
    const reader = new AlsReader(true);
    reader.read(messageOf(encodeAls(['1'], { identifier: STOCK })), null);
    const node = bytesField(body(reader.identity!), 1)!;
    assert.deepEqual([...new Set(fieldNumbers(node))], [1, 2, 3, 6, 100]);
    assert.deepEqual(Buffer.from(bytesField(node, 3)!), Buffer.from(bytesField(bytesField(STOCK, 1)!, 3)!));
    assert.deepEqual(Buffer.from(bytesField(body(reader.identity!), 2)!), Buffer.from(bytesField(STOCK, 2)!));
    assert.ok(reader.identity!.length < 2048 && STOCK.length > 60_000);

    const full = new AlsReader(false);
    full.read(messageOf(encodeAls(['1'], { identifier: STOCK })), null);
    assert.deepEqual(body(full.identity!), Buffer.from(STOCK));
  });

  it('passes identifier fields of every wire type', () => {
    const extra = Uint8Array.from([0x18, 5, 0x25, 1, 2, 3, 4, 0x29, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const isCompact of [false, true]) {
      const reader = new AlsReader(isCompact);
      reader.read(messageOf(encodeAls(['1'], { identifier: Buffer.concat([STOCK, extra]) })), null);
      assert.deepEqual(Buffer.from(body(reader.identity!).subarray(-extra.length)), Buffer.from(extra));
    }
    assert.equal(
      new AlsReader(true).read(messageOf(encodeAls(['1'], { identifier: Uint8Array.of(0x1b, 0x1c) })), null),
      READ.malformed,
    );
  });

  it('gives back the room of the identifier that it cuts out', () => {
    const reader = new AlsReader(true);
    const pool = new BlockPool(null);
    const bytes = encodeAls(['1'], { identifier: STOCK });
    const slab = pool.take(bytes.length);
    slab.bytes.set(bytes);
    reader.read(new SlicedMessage(null, bytes.length, bytes.length).own(slab, 0, bytes.length), null);
    assert.deepEqual(Buffer.from(bytesOf(reader.payload)), Buffer.from(encodeAls(['1'])));
    assert.equal(reader.payload.pinnedBytes, reader.payload.length);
    assert.equal(slab.used, reader.payload.length);
    reader.payload.release();
    assert.equal(slab.used, 0);
  });

  it('refuses what is no message: broken framing at the top, in the entries, or in the identifier', () => {
    const reader = new AlsReader(true);
    const good = encodeAls(['1', '2'], { identifier: SMALL });
    const broken: Record<string, Uint8Array> = {
      'length beyond the end': Uint8Array.of(0x12, 0x7f, 1),
      'entry beyond its list': Uint8Array.of(0x12, 3, 0x0a, 9, 1),
      'field number 0': Uint8Array.of(0, 1),
      'a group': Uint8Array.of(0x23, 0x24),
      'identifier that is none': encodeAls(['1'], { identifier: Uint8Array.of(0x0a, 0x7f) }),
      'node that is none': encodeAls(['1'], { identifier: Uint8Array.of(0x0a, 2, 0x0a, 0x7f) }),
      'cut short': good.subarray(0, good.length - 1),
    };
    for (const [what, bytes] of Object.entries(broken)) {
      assert.equal(reader.read(messageOf(bytes), null), READ.malformed, what);
      assert.equal(reader.read(messageInBytes(bytes), null), READ.malformed, `${what}, in bytes`);
      assert.equal(reader.entries, 0);
      assert.equal(reader.identity, null);
    }
    assert.equal(reader.read(messageOf(good), null), READ.ok);
  });

  it('never throws and never loses a byte, whatever comes', () => {
    const reader = new AlsReader(false);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat(60), { maxLength: 3 }), (bytes, cuts) => {
        const message = messageOf(
          bytes,
          [...cuts].sort((a, b) => a - b).filter((cut) => cut <= bytes.length),
        );
        if (reader.read(message, null) === READ.malformed) return;
        const identity = reader.identity === null ? 0 : body(reader.identity).length;
        assert.ok(reader.payload.length + identity <= bytes.length);
        if (!reader.carriesIdentity) assert.deepEqual(bytesOf(reader.payload), Buffer.from(bytes));
      }),
      { numRuns: 2000, seed: 42 },
    );
  });
});
