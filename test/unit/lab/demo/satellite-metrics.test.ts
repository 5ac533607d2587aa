import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSatelliteMetrics } from '../../../../src/lab/demo/satellite-metrics.js';

const PAGE = `# HELP ledger_received_count Data taken from sources.
# TYPE ledger_received_count counter
ledger_received_count{cluster="c",pipe="envoy-als-v3",unit="entries"} 130
ledger_received_count{cluster="c",pipe="envoy-als-v3",unit="messages"} 10
ledger_received_count{cluster="c",pipe="envoy-als-v2",unit="entries"} 20
ledger_received_count{cluster="c",pipe="logpipe",unit="entries"} 7
ledger_delivered_count{pipe="envoy-als-v3",unit="entries"} 100
ledger_dropped_count{pipe="envoy-als-v3",unit="entries",reason="queue_full",intentional="true"} 4
ledger_dropped_count{pipe="envoy-als-v3",unit="entries",reason="malformed",intentional="false"} 1
ledger_held{pipe="envoy-als-v3",unit="entries"} 45
process_cpu_seconds_total{cluster="c"} 1.5
process_resident_memory_bytes 8.1e7
`;

test('the books of the access-log pipes are added up in entries, whatever the other labels', () => {
  const metrics = readSatelliteMetrics(PAGE);
  assert.equal(metrics.received, 150);
  assert.equal(metrics.delivered + metrics.dropped + metrics.held, 150);
  assert.equal(metrics.dropped, 5);
  assert.equal(metrics.cpuSeconds, 1.5);
  assert.equal(metrics.residentBytes, 8.1e7);
});
