import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Batch } from '../../../src/core/batch.js';
import { DROP_REASONS } from '../../../src/core/drop-reason.js';
import { Event } from '../../../src/core/event.js';
import { Ledger } from '../../../src/core/ledger.js';
import { messageOf } from '../../support/als.js';
import { RecordingMetrics } from '../../support/metrics.js';

const MESSAGE = messageOf(new Uint8Array(10));

function setUp(): { metrics: RecordingMetrics; ledger: Ledger; event: Event } {
  const metrics = new RecordingMetrics();
  const ledger = new Ledger('p', metrics);
  const event = new Event('als-v3', 0, null, 0, 0);
  for (let count = 0; count < 3; count++) {
    event.add(MESSAGE, 2);
    ledger.receiveMessage(2, MESSAGE.length);
  }
  return { metrics, ledger, event };
}

describe('the ledger', () => {
  it('holds what came, messages at once and events when their window closes', () => {
    const { ledger } = setUp();
    assert.deepEqual(ledger.snapshot().held, { events: 0, messages: 3, entries: 6, bytes: 30 });
    ledger.receiveEvent();
    assert.deepEqual(ledger.snapshot().received, { events: 1, messages: 3, entries: 6, bytes: 30 });
  });

  it('moves a batch from held to delivered or dropped', () => {
    const { ledger, event, metrics } = setUp();
    ledger.receiveEvent();
    ledger.deliverMessages(new Batch([event], 0, 2));
    ledger.dropMessages(new Batch([event], 2, 3), 'rejected');
    ledger.dropEvent('rejected');
    const { delivered, dropped, held } = ledger.snapshot();
    assert.deepEqual(delivered, { events: 0, messages: 2, entries: 4, bytes: 20 });
    assert.deepEqual(dropped, { rejected: { events: 1, messages: 1, entries: 2, bytes: 10 } });
    assert.deepEqual(held, { events: 0, messages: 0, entries: 0, bytes: 0 });
    const labels = { pipe: 'p', unit: 'entries', reason: 'rejected', intentional: 'false' };
    assert.equal(metrics.read('ledger_dropped_count', labels), 2);
  });

  it('counts a message that is lost on arrival without ever holding it', () => {
    const { ledger } = setUp();
    ledger.refuseMessage(0, 7, 'malformed');
    const { received, dropped, held } = ledger.snapshot();
    assert.equal(received.messages, 4);
    assert.deepEqual(dropped.malformed, { events: 0, messages: 1, entries: 0, bytes: 7 });
    assert.equal(held.messages, 3);
  });

  it('drops an event whole', () => {
    const { ledger, event } = setUp();
    ledger.receiveEvent();
    ledger.dropWholeEvent(event, 'queue_full');
    assert.deepEqual(ledger.snapshot().dropped.queue_full, { events: 1, messages: 3, entries: 6, bytes: 30 });
  });

  it('has a series for each unit and reason from the start, and takes its gauges away at the end', () => {
    const { ledger, metrics } = setUp();
    assert.equal(metrics.seriesOf('ledger_dropped_count'), Object.keys(DROP_REASONS).length * 4);
    assert.equal(metrics.read('ledger_held', { pipe: 'p', unit: 'messages' }), 3);
    ledger.close();
    assert.equal(metrics.seriesOf('ledger_held'), 0);
  });
});
