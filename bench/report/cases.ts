/** The page of the cases: targets first, then all figures. */
import type { CaseResult } from '../compare.js';
import { markdownTable, runTable } from './columns.js';
import { judge, type Verdict } from './targets.js';

export function casesPage(results: readonly CaseResult[]): string {
  const verdicts = results.flatMap((result) => judge(result).map((verdict) => ({ result, verdict })));
  const targets = markdownTable(
    ['case', 'target', 'at most', 'measured', ''],
    verdicts.map(({ result, verdict }) => [`${result.bench.number}`, ...verdictCells(verdict)]),
  );
  const sections = results.map((result) =>
    [
      `## Case ${result.bench.number}: ${result.bench.title}`,
      runTable(result, 'relay'),
      `${provenance(result)}${result.bench.isIdle ? '' : ` CPU is user and system of the middle alone.`}`,
    ].join('\n\n'),
  );
  return `${['# Cost beside a byte relay', '## Targets', targets, ...sections].join('\n\n')}\n`;
}

/** `AMD EPYC × 2, …, 2026-12-01; 5 runs of 10 s, 2 OAPs: median (lowest–highest).` */
export function provenance({ runs, machine, date, seconds, oaps }: CaseResult): string {
  const rounds = runs.filter((run) => run.middle === runs[0]?.middle).length;
  return `${machine}, ${date}; ${rounds} runs of ${seconds} s, ${oaps} OAPs: median (lowest–highest).`;
}

function verdictCells({ title, limit, measured, isMet, digits }: Verdict): string[] {
  return [title, `${limit}`, measured.toFixed(digits), isMet ? 'met' : '**missed**'];
}
