/** A fake OAP in a process of its own, which dies, stands still, and is started again; its journal outlives it. */
import { statSync } from 'node:fs';
import {
  JOURNAL_ENTRY_BYTES,
  readJournal,
  RemoteOap,
  type NodeReport,
  type OapOptions,
  type OapStats,
} from '../../src/lab/index.js';
import { writeTemporary } from './temporary.js';

export class MortalOap {
  port = 0;
  private readonly journal = writeTemporary('oap-journal', '');
  private process: RemoteOap | null = null;
  private isFrozen = false;

  /** Also after its death, on the same port. */
  async start(options: Partial<OapOptions> = {}): Promise<void> {
    this.process = await RemoteOap.start({ ...options, port: this.port, journal: this.journal });
    this.port = this.process.port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    if (this.process !== null) process.kill(this.process.pid, signal);
    this.isFrozen = signal === 'SIGSTOP';
  }

  set(changes: Partial<OapOptions>): Promise<void> {
    return this.living.set(changes);
  }

  /** Of its present life. */
  stats(): Promise<OapStats> {
    return this.living.stats();
  }

  async end(): Promise<void> {
    // Else it would never hear that it is to end.
    if (this.isFrozen) this.signal('SIGCONT');
    await this.process?.close();
  }

  /** What it has accepted in all its lives. */
  books(): NodeReport[] {
    return readJournal(this.journal);
  }

  /** Entries, doubled ones included. */
  accepted(): number {
    return statSync(this.journal).size / JOURNAL_ENTRY_BYTES;
  }

  private get living(): RemoteOap {
    if (this.process === null) throw new Error('the OAP has not been started');
    return this.process;
  }
}
