/** Whatever a peer sends, the engine answers or ends the connection; it never throws, and never says anything twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { frame, REQUEST, ScriptedPeer } from '../../../support/peer.js';

const anyFrame = fc
  .tuple(
    fc.oneof(fc.nat(9), fc.nat(255)),
    fc.nat(255),
    fc.oneof(fc.nat(6), fc.constant(0x7fffffff)),
    fc.oneof(fc.uint8Array({ maxLength: 24 }), fc.uint8Array({ minLength: 4, maxLength: 8 })),
  )
  .map(([type, flags, streamId, payload]) => frame(type, flags, streamId, payload));

for (const role of ['server', 'client'] as const) {
  test(`frames of any kind, to a ${role}`, () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 20 }), fc.boolean(), (frames, isBytes) => {
        const peer = new ScriptedPeer(role, { split: isBytes ? 'bytes' : 'whole' }).handshake();
        if (role === 'server') peer.send(peer.headers(1, REQUEST, false));
        else peer.open();
        peer.send(...frames);
        peer.frames();
        peer.engine.receiveEnd();
        assert.equal(peer.eventsOf('finished').length, 1);
        assert.equal(peer.engine.openStreams, 0);
        const closed = peer.eventsOf('closed').map((event) => event.streamId);
        assert.equal(new Set(closed).size, closed.length);
        assert.equal(closed.length, peer.streams.size);
      }),
      { numRuns: 300 },
    );
  });

  test(`any bytes, to a ${role}`, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 10 }), (chunks) => {
        const peer = new ScriptedPeer(role).handshake();
        for (const chunk of chunks) peer.send(chunk);
        peer.frames();
      }),
    );
  });
}

test('a cut makes no difference to what is said and answered', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 20 }), (frames) => {
      const outcomes = (['whole', 'bytes', 'random'] as const).map((split) => {
        const peer = new ScriptedPeer('server', { split }).handshake();
        peer.send(peer.headers(1, REQUEST, false), ...frames);
        const kinds = peer.kinds().filter((kind) => kind !== 'data');
        return { answers: peer.answers(), kinds, data: peer.dataOf(1) };
      });
      assert.deepEqual(outcomes[1], outcomes[0]);
      assert.deepEqual(outcomes[2], outcomes[0]);
    }),
    { numRuns: 200 },
  );
});
