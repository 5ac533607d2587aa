/**
 * HOT (`append`). What a fake OAP has accepted, on disk before it answers, so that its books survive a SIGKILL.
 * @shape pairs of u32, little-endian as the machine: number of the Envoy | sequence number of the entry.
 */
import { openSync, readFileSync, writeSync } from 'node:fs';
import { NodeBook, OapBooks, type NodeReport } from './oap-books.js';

export const JOURNAL_ENTRY_BYTES = 8;

export class OapJournal {
  private readonly file: number;

  /** Goes on where an earlier life of the same OAP has ended. */
  constructor(path: string) {
    this.file = openSync(path, 'a');
  }

  /** `nodes[i]` has accepted the entry `sequences[i]`. */
  append(nodes: readonly NodeBook[], sequences: readonly number[]): void {
    const pairs = new Uint32Array(2 * sequences.length);
    for (let index = 0; index < sequences.length; index++) {
      pairs[2 * index] = nodes[index]!.envoy;
      pairs[2 * index + 1] = sequences[index]!;
    }
    writeSync(this.file, new Uint8Array(pairs.buffer));
  }
}

/** The books of all lives of one OAP. A last record that was cut off by its death was never answered. */
export function readJournal(path: string): NodeReport[] {
  const bytes = readFileSync(path);
  const books = new OapBooks();
  const whole = bytes.length - (bytes.length % JOURNAL_ENTRY_BYTES);
  const pairs = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole));
  for (let index = 0; index < pairs.length; index += 2) {
    const envoy = pairs[index]!;
    const nodeId = String(envoy);
    let node = books.nodes.get(nodeId);
    if (node === undefined) {
      node = new NodeBook(nodeId, envoy);
      books.nodes.set(nodeId, node);
    }
    node.acceptedEntries++;
    books.accept(node, pairs[index + 1]!);
  }
  return books.toReport();
}
