import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LogReader, READ } from '../../../../src/core/wire/index.js';
import { bytesOf, messageInBytes, messageOf } from '../../../support/als.js';
import { encodeLog } from '../../../support/log-data.js';

describe('the reader of log messages', () => {
  it('takes the service for the identity of a stream and leaves it in the message', () => {
    const reader = new LogReader();
    const bytes = encodeLog({ service: 'shop', text: 'hello' });
    for (const message of [messageOf(bytes), messageInBytes(bytes)]) {
      assert.equal(reader.read(message, null), READ.ok);
      assert.equal(reader.carriesIdentity, true);
      assert.deepEqual(reader.identity, Buffer.from([0x12, 4, ...Buffer.from('shop')]));
      assert.equal(reader.payload, message);
    }
  });

  it('reports the service only when it differs from the current one', () => {
    const reader = new LogReader();
    reader.read(messageOf(encodeLog({ service: 'shop', text: '1' })), null);
    const shop = reader.identity;
    reader.read(messageInBytes(encodeLog({ service: 'shop', text: '2' })), shop);
    assert.equal(reader.carriesIdentity, true);
    assert.equal(reader.identity, null);
    reader.read(messageOf(encodeLog({ service: 'mart', text: '3' })), shop);
    assert.notEqual(reader.identity, null);
  });

  it('finds none in a message that leaves the service out or spells it out empty, and cuts the latter', () => {
    const reader = new LogReader();
    const without = encodeLog({ text: 'hello' });
    for (const bytes of [without, Buffer.concat([Uint8Array.of(0x12, 0), without])]) {
      assert.equal(reader.read(messageOf(bytes), null), READ.ok);
      assert.equal(reader.carriesIdentity, false);
      assert.deepEqual(bytesOf(reader.payload), Buffer.from(without));
    }
  });

  it('reads the service where it stood before an empty one in front of it was cut', () => {
    const reader = new LogReader();
    const bytes = encodeLog({ service: 'shop', text: 'hello' });
    const message = messageOf(Buffer.concat([Uint8Array.of(0x12, 0), bytes]));
    assert.equal(reader.read(message, null), READ.ok);
    assert.deepEqual(reader.identity, Buffer.from([0x12, 4, ...Buffer.from('shop')]));
    assert.deepEqual(bytesOf(reader.payload), Buffer.from(bytes));
  });

  it('refuses broken framing', () => {
    const reader = new LogReader();
    assert.equal(reader.read(messageOf(Uint8Array.of(0x12, 9, 1)), null), READ.malformed);
    assert.equal(reader.carriesIdentity, false);
  });
});
