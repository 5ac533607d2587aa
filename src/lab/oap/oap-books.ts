/** HOT. What one fake OAP has accepted, Envoy by Envoy. */
import { SequenceSet } from '../sequence-set.js';

/** Bits kept of all Envoys together, so that a long run cannot eat the memory; beyond it doubles go unseen. */
const MAX_TRACKED_ENTRIES = 256 * 1024 * 1024;

/** The books of one node as OAP tells nodes apart: by id. */
export class NodeBook {
  readonly nodeId: string;
  /** Number of the simulated Envoy; -1: a node from elsewhere. */
  readonly envoy: number;
  acceptedEntries = 0;
  doubledEntries = 0;
  readonly sequences = new SequenceSet();

  constructor(nodeId: string, envoy: number) {
    this.nodeId = nodeId;
    this.envoy = envoy;
  }
}

export class OapBooks {
  readonly nodes = new Map<string, NodeBook>();
  private tracked = 0;

  /** @returns whether this entry is here for the first time. */
  accept(node: NodeBook, sequence: number): boolean {
    if (this.tracked > MAX_TRACKED_ENTRIES) return true;
    if (!node.sequences.add(sequence)) {
      node.doubledEntries++;
      return false;
    }
    this.tracked++;
    return true;
  }

  toReport(): NodeReport[] {
    return [...this.nodes.values()].map((node) => ({
      nodeId: node.nodeId,
      envoy: node.envoy,
      acceptedEntries: node.acceptedEntries,
      doubledEntries: node.doubledEntries,
      sequences: node.sequences.toWords(),
    }));
  }
}

/** One node's books in a form that crosses processes. */
export interface NodeReport {
  readonly nodeId: string;
  readonly envoy: number;
  readonly acceptedEntries: number;
  readonly doubledEntries: number;
  /** `SequenceSet` of simulated entries. */
  readonly sequences: Uint32Array;
}
