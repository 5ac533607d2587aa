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
}

/**
 * @param sent entries made by each Envoy (`Fleet.entriesByEnvoy`)
 * @param reports the nodes of all OAPs, in any order
 */
export function compareBooks(sent: ReadonlyMap<number, number>, reports: readonly NodeReport[]): BooksComparison {
  const union = new Map<number, SequenceSet>();
  let doubledEntries = 0;
  for (const report of reports) {
    if (report.envoy < 0) continue;
    doubledEntries += report.doubledEntries;
    const theirs = new SequenceSet(report.sequences);
    const ours = union.get(report.envoy);
    if (ours === undefined) union.set(report.envoy, theirs);
    else doubledEntries += ours.merge(theirs);
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
  return { sentEntries, deliveredEntries, missingEntries: sentEntries - deliveredEntries, doubledEntries, examples };
}
