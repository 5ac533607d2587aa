/** What test/conformance/features.yaml claims. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { repositoryUrl } from '../../support/repository.js';

export type Direction = 'their-client' | 'their-server';

interface Features {
  readonly h2spec: {
    readonly version: string;
    readonly mode: string;
    readonly groups: readonly string[];
    readonly cases: number;
  };
  readonly interop: {
    readonly claimed: readonly string[];
    readonly 'left-out': Readonly<Record<string, Readonly<Record<Direction, Readonly<Record<string, string>>>>>>;
    readonly 'not-claimed': Readonly<Record<string, string>>;
  };
}

export const FEATURES = parse(readFileSync(repositoryUrl('test/conformance/features.yaml'), 'utf8')) as Features;

/** The cases claimed that a peer can run. */
export function claimedCases(peer: string, direction: Direction): string[] {
  const leftOut = FEATURES.interop['left-out'][peer]?.[direction] ?? {};
  return FEATURES.interop.claimed.filter((name) => leftOut[name] === undefined);
}
