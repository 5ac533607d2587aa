/** A fleet, the built satellite and OAPs that fail on purpose; at the end the books of all three must agree. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  compareBooks,
  startFleet,
  type BooksComparison,
  type Fleet,
  type FleetOptions,
  type FleetStats,
  type NodeReport,
} from '../../src/lab/index.js';
import { eventually } from './eventually.js';
import { sumOf } from './exposition.js';
import { Satellite, writeAlsConfig, type AlsConfigSettings, type EntryBooks } from './satellite.js';

const PIPE = 'envoy-als-v3';

export interface FaultRunOptions extends AlsConfigSettings {
  readonly fleet?: Partial<FleetOptions>;
  readonly memoryLimit?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What is left at the end of a run. */
export interface FaultRunResult {
  readonly sent: FleetStats;
  readonly books: EntryBooks;
  readonly comparison: BooksComparison;
  /** Entries that may have come twice, as Satellite counts them. */
  readonly announcedDoubles: number;
}

export class FaultRun {
  readonly satellite: Satellite;
  readonly fleet: Fleet;

  private constructor(satellite: Satellite, fleet: Fleet) {
    this.satellite = satellite;
    this.fleet = fleet;
  }

  /** Starts the satellite, then the fleet; both end with the test. */
  static async start(t: TestContext, options: FaultRunOptions): Promise<FaultRun> {
    const { fleet: fleetOptions = {}, memoryLimit, args = [], env = {}, ...settings } = options;
    const resources = memoryLimit === undefined ? '' : `\nresources: { memory_limit: ${memoryLimit} }\n`;
    const satellite = await Satellite.start({
      config: (ports) => writeAlsConfig(settings)(ports) + resources,
      args,
      env: () => env,
    });
    const fleet = startFleet({
      port: satellite.grpcPort,
      envoys: 20,
      entriesPerSecond: 12_000,
      connectOverMs: 100,
      flushIntervalMs: 200,
      seconds: 120,
      ...fleetOptions,
    });
    t.after(() => {
      // Its timers do not keep the test alive, and with the satellite nothing else of it is left.
      void fleet.stop();
      return satellite.child.kill();
    });
    return new FaultRun(satellite, fleet);
  }

  books(): Promise<EntryBooks> {
    return this.satellite.readBooks(PIPE);
  }

  /** One metric of the pipe, summed up over its other labels. */
  async metric(name: string, labels: Readonly<Record<string, string>> = { pipe: PIPE }): Promise<number> {
    return sumOf(await this.satellite.scrape(), name, labels);
  }

  /** Waits until the fleet has sent `entries` more. */
  async sendMore(entries: number, withinMs = 20_000): Promise<void> {
    const goal = this.fleet.stats().entries + entries;
    await eventually({ until: `${entries} more entries are sent`, withinMs, everyMs: 10 }, () => {
      return this.fleet.stats().entries >= goal ? true : undefined;
    });
  }

  async waitDelivered(entries: number, withinMs = 20_000): Promise<void> {
    await eventually({ until: `${entries} entries are delivered`, withinMs }, async () => {
      return (await this.books()).delivered >= entries ? true : undefined;
    });
  }

  /**
   * Ends the fleet, waits until nothing is held, and holds all books against each other:
   * sent = received by OAPs, each counted once, + dropped.
   * @param reports the books of all OAPs, read when all is settled
   */
  async settle(reports: () => NodeReport[] | Promise<NodeReport[]>, withinMs = 30_000): Promise<FaultRunResult> {
    const sent = await this.fleet.stop();
    assert.deepEqual(
      { lost: sent.lostConnections, ended: sent.endedStreams, abandoned: sent.abandonedMessages },
      { lost: 0, ended: 0, abandoned: 0 },
      'the trouble behind Satellite is felt before it',
    );
    const books = await eventually({ until: 'everything is received and nothing held', withinMs }, async () => {
      const now = await this.books();
      return now.received >= sent.entries && now.held === 0 ? now : undefined;
    });
    const comparison = compareBooks(this.fleet.entriesByEnvoy(), await reports());
    const announcedDoubles = await this.metric('sender_possible_duplicate_entries_count');
    assert.equal(books.received, sent.entries);
    assert.equal(books.delivered + books.dropped, books.received);
    assert.equal(comparison.missingEntries, books.dropped, comparison.examples.join('; '));
    assert.ok(
      comparison.doubledEntries <= announcedDoubles,
      `${comparison.doubledEntries} entries came twice, ${announcedDoubles} were announced`,
    );
    return { sent, books, comparison, announcedDoubles };
  }
}

/** The last books of a pipe, in entries, as a satellite has logged them at its end. */
export function loggedBooks(satellite: Satellite, pipe = PIPE): EntryBooks {
  const line = satellite.child.output.split('\n').findLast((text) => text.includes('; held ') && text.includes(pipe));
  const match = /received \d+ events\/(\d+) entries; delivered \d+\/(\d+); dropped (.*); held \d+\/(\d+)/.exec(
    line ?? '',
  );
  assert.ok(match, satellite.child.output);
  const [, received, delivered, dropped = '', held] = match;
  const lost = [...dropped.matchAll(/\/(\d+) entries/g)].reduce((sum, [, entries]) => sum + Number(entries), 0);
  return { received: Number(received), delivered: Number(delivered), dropped: lost, held: Number(held) };
}

/** The warnings and errors a satellite has written. */
export function complaintsOf(satellite: Satellite): string[] {
  return satellite.child.output.split('\n').filter((line) => /\[(warning|error)\]/.test(line));
}
