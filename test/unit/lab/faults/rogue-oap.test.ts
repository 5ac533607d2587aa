import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROGUES, startRogueOap } from '../../../../src/lab/index.js';
import { IndependentEnvoy } from '../../../support/independent-envoy.js';

// A GOAWAY needs several calls on one connection, and garbage leaves this peer waiting: test/e2e/faults has both.
for (const kind of ROGUES.filter((rogue) => rogue !== 'goaway' && rogue !== 'garbage')) {
  test(`an independent peer finds no OK in the answers of the rogue "${kind}"`, async (t) => {
    const rogue = await startRogueOap(kind);
    t.after(() => rogue.close());
    const port = Number(rogue.address.split(':')[1]);
    const envoy = new IndependentEnvoy({ port, nodeId: 'any', version: 'v3' });
    await envoy.send(['/path']);
    const error = await envoy.finish();
    assert.notEqual(error, null);
    assert.equal(rogue.calls, 1);
  });
}
