/** What the demo shows and concludes, from samples made by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DEFAULT_DEMO_OPTIONS } from '../../../../src/lab/demo/index.js';
import { compareSamples, type Sample } from '../../../../src/lab/demo/sample.js';
import { Screen } from '../../../../src/lab/demo/screen.js';
import { summarise } from '../../../../src/lab/demo/summary.js';
import { createFleetCounters } from '../../../../src/lab/fleet/fleet-counters.js';
import { createOapCounters } from '../../../../src/lab/oap/oap-counters.js';

const SENT = 3000;
const BOOKS = {
  sentEntries: SENT,
  deliveredEntries: SENT,
  missingEntries: 0,
  doubledEntries: 0,
  examples: [],
  doubles: [],
};

interface Figures {
  readonly atMs?: number;
  readonly oapEntries?: readonly number[];
  readonly received?: number;
  readonly delivered?: number;
  readonly dropped?: number;
  readonly held?: number;
  readonly misplacedEntries?: number;
}

function sampleOf(figures: Figures): Sample {
  const { received = SENT, delivered = SENT, dropped = 0, held = 0 } = figures;
  return {
    atMs: figures.atMs ?? 0,
    fleet: {
      ...createFleetCounters(),
      entries: received,
      messages: received / 10,
      envoys: 5,
      cpuMs: 0,
      isProducing: true,
    },
    oaps: (figures.oapEntries ?? [SENT / 2, SENT / 2]).map((entries) => ({
      ...createOapCounters(),
      entries,
      misplacedEntries: figures.misplacedEntries ?? 0,
      port: 1,
      latencyP50Ms: 0,
      latencyP99Ms: 0,
      latency: new Uint32Array([0, 0, 1]),
      cpuMs: 0,
    })),
    satellite: {
      received,
      delivered,
      dropped,
      held,
      retries: 0,
      cpuSeconds: (figures.atMs ?? 0) / 10_000,
      residentBytes: 1e8,
    },
  };
}

const START = sampleOf({ received: 0, delivered: 0, oapEntries: [0, 0] });

test('two samples give rates, shares, cost and latency of the time between', () => {
  const interval = compareSamples(START, sampleOf({ atMs: 2000, oapEntries: [2000, 1000] }));
  assert.equal(interval.entriesIn, 1500);
  assert.deepEqual(interval.perOap, [1000, 500]);
  assert.ok(Math.abs(interval.maxOverMean - 4 / 3) < 1e-9);
  assert.ok(Math.abs(interval.cpuRatio - 0.1) < 1e-9);
  assert.equal(interval.latencyP50Ms, 2);
});

test('books that agree balance', () => {
  const last = sampleOf({ atMs: 1000 });
  const summary = summarise(last, compareSamples(START, last), BOOKS, false);
  assert.equal(summary.isBalanced, true);
  assert.equal(summary.lines.at(-1), 'The books balance.');
});

test('whatever does not agree is marked', () => {
  const verdict = (figures: Figures, books: Partial<typeof BOOKS> = {}, mayDouble = false): boolean => {
    const last = sampleOf({ atMs: 1000, ...figures });
    return summarise(last, compareSamples(START, last), { ...BOOKS, ...books }, mayDouble).isBalanced;
  };
  assert.equal(verdict({ received: SENT - 1, delivered: SENT - 1 }), false, 'not all received');
  assert.equal(verdict({ delivered: SENT - 1 }), false, 'lost without a reason');
  assert.equal(verdict({ delivered: SENT - 1, held: 1 }), false, 'still held');
  assert.equal(verdict({}, { deliveredEntries: SENT - 1, missingEntries: 1 }), false, 'said delivered, is missing');
  assert.equal(verdict({ misplacedEntries: 1 }), false, 'under the wrong Envoy');
  assert.equal(verdict({}, { doubledEntries: 1 }), false, 'doubled without a cause');
  assert.equal(verdict({}, { doubledEntries: 1 }, true), true, 'doubled by the death of an OAP');
  const dropped = { delivered: SENT - 5, dropped: 5 };
  assert.equal(verdict(dropped, { deliveredEntries: SENT - 5, missingEntries: 5 }), true, 'dropped and counted');
});

test('a terminal gets a table that draws over itself, anything else a line a second', () => {
  const last = sampleOf({ atMs: 1000 });
  const interval = compareSamples(START, last);
  const written = (isTerminal: boolean): string[] => {
    const texts: string[] = [];
    const io = { write: (text: string) => void texts.push(text), isTerminal, signal: new AbortController().signal };
    const screen = new Screen(io, DEFAULT_DEMO_OPTIONS);
    screen.show(1, last, interval, -1);
    screen.show(2, last, interval, 1);
    return texts;
  };
  const [plain = ''] = written(false);
  assert.equal(plain.split('\n').length, 2);
  assert.match(
    plain,
    /^second 1: in 3 000\/s, out 3 000\/s .*received 3 000 = delivered 3 000 \+ dropped 0 \+ held 0$/m,
  );
  const [first = '', second = ''] = written(true);
  const lines = first.split('\n').length - 1;
  assert.ok(second.startsWith(`\u001b[${lines}A`));
  assert.match(second, /OAP 2 .*killed/);
});
