/** The configuration file as a tree that remembers where everything stands. Keys are lower case, placeholders filled. */
import type { Position } from './problem.js';

/** A value as text: which type it has is for the option that reads it to say. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** From an unquoted placeholder: leading zeros are decimal there, not octal. */
  readonly isUntyped: boolean;
  /** Environment names of its placeholders. */
  readonly envNames: readonly string[];
  readonly position: Position;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
  readonly position: Position;
}

export interface MapEntry {
  /** As the user wrote it. */
  readonly key: string;
  readonly keyPosition: Position;
  readonly value: ConfigNode;
}

export interface MapNode {
  readonly kind: 'map';
  /** By lower-case key. */
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly position: Position;
  /** Last line it occupies. */
  readonly endLine: number;
}

export interface NullNode {
  readonly kind: 'null';
  readonly position: Position;
}

export type ConfigNode = ScalarNode | ListNode | MapNode | NullNode;

/** The value under a key in any case; a null counts as absent, as in the original. */
export function childOf(node: MapNode, key: string): Exclude<ConfigNode, NullNode> | undefined {
  const value = node.entries.get(key.toLowerCase())?.value;
  return value === undefined || value.kind === 'null' ? undefined : value;
}

/** Follows keys and list indexes as far as they exist; undefined when the last step does not. */
export function nodeAt(root: ConfigNode, path: readonly PropertyKey[]): ConfigNode | undefined {
  let node: ConfigNode | undefined = root;
  for (const step of path) {
    if (node?.kind === 'map') node = node.entries.get(String(step).toLowerCase())?.value;
    else if (node?.kind === 'list') node = node.items[Number(step)];
    else return undefined;
  }
  return node;
}

/** `a list`, `a map`, `nothing` or the quoted text, to end the sentence "…, got". */
export function describeNode(node: ConfigNode): string {
  switch (node.kind) {
    case 'scalar':
      return JSON.stringify(node.text.length > 60 ? `${node.text.slice(0, 57)}…` : node.text);
    case 'list':
      return 'a list';
    case 'map':
      return 'a map';
    case 'null':
      return 'nothing';
  }
}
