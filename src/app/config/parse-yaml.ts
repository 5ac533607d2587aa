import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { CONFIG_ERRORS } from './errors.js';
import type { ConfigNode, MapEntry, MapNode, ScalarNode } from './node.js';
import { fillPlaceholders } from './placeholder.js';
import type { Environment } from './placeholder.js';
import type { Position, Problems } from './problem.js';

/** Aliases may multiply a file: no configuration comes near these. */
const MAX_NODES = 100_000;
const MAX_DEPTH = 64;

const NULL_TEXTS = new Set(['', '~', 'null', 'Null', 'NULL']);

/**
 * Parses the file's text. Every scalar stays the text it was written as (YAML's failsafe schema), so that an option of
 * type text gets `0123` and `true` unchanged. Anchors, aliases and `<<` work; keys are folded to lower case.
 * @returns null when the text is no map; every problem with line and column is in `problems`.
 */
export function parseYaml(source: string, environment: Environment, problems: Problems): MapNode | null {
  const lines = new LineCounter();
  const documents = parseAllDocuments(source, {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  if (document === undefined || document.contents === null) {
    problems.error(CONFIG_ERRORS.missing, '', null, 'the file is empty', 'Start from configs/satellite_config.yaml.');
    return null;
  }
  return new TreeBuilder(document, lines, environment, problems).build(documents.length > 1);
}

/** Turns the library's nodes into ours, once per file. */
class TreeBuilder {
  private readonly document: Document;
  private readonly lines: LineCounter;
  private readonly environment: Environment;
  private readonly problems: Problems;
  private nodeCount = 0;
  private isTooLarge = false;

  constructor(document: Document, lines: LineCounter, environment: Environment, problems: Problems) {
    this.document = document;
    this.lines = lines;
    this.environment = environment;
    this.problems = problems;
  }

  build(hasMoreDocuments: boolean): MapNode | null {
    for (const error of this.document.errors) {
      const position = this.positionOf(error.pos[0]);
      this.problems.error(CONFIG_ERRORS.syntax, '', position, lowerFirst(error.message), 'Correct the YAML.');
    }
    if (hasMoreDocuments) {
      const remedy = 'Remove what follows the line `---`.';
      this.problems.warn(CONFIG_ERRORS.syntax, '', null, 'only the first YAML document of the file is read', remedy);
    }
    if (this.document.errors.length > 0) return null;
    const root = this.convert(this.document.contents, '', 0);
    if (root.kind === 'map') return root;
    const remedy = 'Start from configs/satellite_config.yaml.';
    this.problems.error(CONFIG_ERRORS.syntax, '', root.position, 'the file must be a map of sections', remedy);
    return null;
  }

  private convert(node: Node | null, path: string, depth: number): ConfigNode {
    const position = this.positionOf(node?.range?.[0] ?? 0);
    if (this.isTooLarge) return { kind: 'null', position };
    if (++this.nodeCount > MAX_NODES || depth > MAX_DEPTH) {
      this.isTooLarge = true;
      const message = `more than ${MAX_NODES} values or ${MAX_DEPTH} levels`;
      this.problems.error(CONFIG_ERRORS.syntax, path, position, message, 'Look for an alias that contains itself.');
      return { kind: 'null', position };
    }
    if (isAlias(node)) {
      const target = node.resolve(this.document);
      if (target !== undefined) return this.convert(target, path, depth + 1);
      const message = `there is no anchor &${node.source}`;
      this.problems.error(CONFIG_ERRORS.syntax, path, position, message, 'Correct the YAML.');
      return { kind: 'null', position };
    }
    if (isMap(node)) return this.convertMap(node, path, position, depth);
    if (isSeq(node)) {
      const items = node.items.map((item, index) => this.convert(item as Node, `${path}[${index}]`, depth + 1));
      return { kind: 'list', items, position };
    }
    if (isScalar(node)) return this.convertScalar(node, path, position);
    return { kind: 'null', position };
  }

  private convertMap(map: YAMLMap, path: string, position: Position, depth: number): MapNode {
    const entries = new Map<string, MapEntry>();
    const merged: ConfigNode[] = [];
    for (const pair of map.items as Pair<Node, Node | null>[]) {
      const keyPosition = this.positionOf(pair.key.range?.[0] ?? 0);
      if (!isScalar(pair.key)) {
        this.problems.error(CONFIG_ERRORS.syntax, path, keyPosition, 'a key must be a text', 'Correct the YAML.');
        continue;
      }
      const key = String(pair.key.value);
      const keyPath = path === '' ? key : `${path}.${key}`;
      const value = this.convert(pair.value, keyPath, depth + 1);
      if (key === '<<' && pair.key.type === 'PLAIN') {
        merged.push(...(value.kind === 'list' ? value.items : [value]));
        continue;
      }
      const folded = key.toLowerCase();
      const twin = entries.get(folded);
      if (twin !== undefined) {
        const message = `the key stands here twice, as "${twin.key}" (line ${twin.keyPosition.line}) and as "${key}"`;
        this.problems.error(CONFIG_ERRORS.duplicate, keyPath, keyPosition, message, 'Keep one of them.');
      }
      entries.set(folded, { key, keyPosition, value });
    }
    for (const source of merged) {
      if (source.kind !== 'map') continue;
      for (const [folded, entry] of source.entries) if (!entries.has(folded)) entries.set(folded, entry);
    }
    const endLine = this.positionOf(Math.max(0, (map.range?.[1] ?? 1) - 1)).line;
    return { kind: 'map', entries, position, endLine };
  }

  private convertScalar(scalar: Scalar, path: string, position: Position): ConfigNode {
    const source = String(scalar.value);
    if (scalar.type === 'PLAIN' && NULL_TEXTS.has(source)) return { kind: 'null', position };
    const filled = fillPlaceholders(source, this.environment);
    for (const stray of filled.unterminated) {
      const message = `the placeholder ${excerpt(stray.text)} has no end`;
      const remedy = 'Close it with "}", or write $${ for the text "${".';
      this.problems.error(CONFIG_ERRORS.placeholder, path, position, message, remedy);
    }
    for (const stray of filled.literal) {
      const message = `${excerpt(stray.text)} is no placeholder and stays as it is`;
      const remedy = 'Write ${NAME:default}, or $${ for the text "${".';
      this.problems.strict(CONFIG_ERRORS.placeholder, path, position, message, remedy);
    }
    const { text, isUntyped, names: envNames, namesSet } = filled;
    const place = namesSet.length === 0 ? position : { ...position, setBy: namesSet };
    return { kind: 'scalar', text, isUntyped, envNames, position: place } satisfies ScalarNode;
  }

  private positionOf(offset: number): Position {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

/** The opening with what looks like an environment name, never what follows: that may be a part of a secret. */
function excerpt(text: string): string {
  const opening = /^\$\{[A-Z_][A-Z0-9_]*(?!\w)\}?/.exec(text)?.[0] ?? '${';
  return opening === text ? text : `${opening}…`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
