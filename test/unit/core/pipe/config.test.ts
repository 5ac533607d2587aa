import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSenderSettings, maxInFlightFor, senderSchema } from '../../../../src/core/pipe/index.js';

describe("the sender's options", () => {
  it('have the defaults of the shipped file where the original has none', () => {
    const settings = createSenderSettings(senderSchema.parse({}), 1);
    assert.deepEqual(settings, {
      flushTimeMs: 1000,
      maxEvents: 200,
      minFlushEvents: 1,
      maxBatchBytes: 1024 * 1024,
      lingerMs: 20,
      maxInFlight: 0,
      minInFlight: 4,
      stallTimeoutMs: 10_000,
      retry: { isEnabled: true, initialMs: 500, maxMs: 5000, maxElapsedMs: 0 },
    });
  });

  it('come as users write them', () => {
    const settings = createSenderSettings(
      senderSchema.parse({
        flush_time: '3000',
        max_buffer_size: '20',
        max_batch_bytes: '64KiB',
        retry: { enabled: 'false' },
      }),
      50,
    );
    assert.equal(settings.flushTimeMs, 3000);
    assert.equal(settings.maxEvents, 20);
    assert.equal(settings.maxBatchBytes, 65_536);
    assert.equal(settings.minInFlight, 50);
    assert.equal(settings.retry.isEnabled, false);
  });

  it('let more batches out the more backends there are, unless told a number', () => {
    const byEndpoints = createSenderSettings(senderSchema.parse({}), 4);
    assert.deepEqual(
      [0, 1, 6].map((endpoints) => maxInFlightFor(byEndpoints, endpoints)),
      [4, 4, 24],
    );
    const fixed = createSenderSettings(senderSchema.parse({ max_in_flight: 2 }), 4);
    assert.equal(maxInFlightFor(fixed, 6), 2);
  });
});
