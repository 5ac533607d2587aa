/** Holds what a fleet has sent against what all fake OAPs together have accepted. */
import type { NodeReport } from './oap/oap-books.js';
import { SequenceSet } from './sequence-set.js';

/** Examples named in a comparison, so that a failing test says where to look. */
const EXAMPLE_LIMIT = 5;

export interface BooksComparison {
  readonly sentEntries: number;
  /** Different entries accepted by at least one OAP, under the Envoy that wrote them. */
  readonly deliveredEntries: number;
  readonly missingEntries: number;
  /** Accepted once too often, within one OAP or by two. */
  readonly doubledEntries: number;
  /** A few of the missing: "envoy 3: 17, 18". */
  readonly examples: readonly string[];
  /** All of the doubled: "envoy 3: 26 twice". */
  readonly doubles: readonly string[];
}

/**
 * @param sent entries made by each Envoy (`Fleet.entriesByEnvoy`)
 * @param reports the nodes of all OAPs, in any order
 */
export function compareBooks(sent: ReadonlyMap<number, number>, reports: readonly NodeReport[]): BooksComparison {
  const union = new Map<number, SequenceSet>();
  const doubled = new Map<number, number>();
  let doubledEntries = 0;
  for (const report of reports) {
    if (report.envoy < 0) continue;
    const theirs = new SequenceSet(report.sequences);
    const ours = union.get(report.envoy);
    if (ours === undefined) union.set(report.envoy, theirs);
    const more = report.doubledEntries + (ours?.merge(theirs) ?? 0);
    if (more > 0) doubled.set(report.envoy, (doubled.get(report.envoy) ?? 0) + more);
    doubledEntries += more;
  }
  let sentEntries = 0;
  let deliveredEntries = 0;
  const examples: string[] = [];
  for (const [envoy, entries] of sent) {
    sentEntries += entries;
    const seen = union.get(envoy) ?? new SequenceSet();
    deliveredEntries += seen.distinct;
    if (seen.distinct < entries && examples.length < EXAMPLE_LIMIT) {
      examples.push(`envoy ${envoy}: ${seen.missing(entries, EXAMPLE_LIMIT).join(', ')}`);
    }
  }
  const missingEntries = sentEntries - deliveredEntries;
  const doubles = [...doubled].map(([envoy, entries]) => `envoy ${envoy}: ${entries} twice`);
  return { sentEntries, deliveredEntries, missingEntries, doubledEntries, examples, doubles };
}
