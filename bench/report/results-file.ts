/** Results for people (Markdown) and programs (JSON). */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CaseResult } from '../compare.js';

/** Writes `NAME.md` and `NAME.json`. */
export function saveResults(folder: string, name: string, markdown: string, data: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), markdown);
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(data, null, 2)}\n`);
}

/** These results and those that the file has of other cases, by number: a case may be measured anew on its own. */
export function mergeResults(folder: string, name: string, results: readonly CaseResult[]): readonly CaseResult[] {
  const file = join(folder, `${name}.json`);
  const kept = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as CaseResult[]) : [];
  const isNew = new Set(results.map((result) => result.bench.number));
  return [...kept.filter((result) => !isNew.has(result.bench.number)), ...results].sort(
    (left, right) => left.bench.number - right.bench.number,
  );
}
