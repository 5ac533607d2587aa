/** Fake OAPs and fleets in processes of their own, seen through the same verbs as in this process. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FleetOptions, FleetStats } from '../fleet/index.js';
import type { NodeReport, OapOptions, OapStats } from '../oap/index.js';
import type { WorkerAnswer, WorkerRequest } from './protocol.js';

const WORKER_MAIN = fileURLToPath(new URL('./worker-main.js', import.meta.url));

interface Waiter {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** One worker process. */
class Worker {
  private readonly child: ChildProcess;
  private readonly waiters = new Map<number, Waiter>();
  private lastId = 0;

  constructor() {
    this.child = fork(WORKER_MAIN, { serialization: 'advanced', stdio: 'inherit' });
    this.child.on('message', (answer) => {
      this.onAnswer(answer as WorkerAnswer);
    });
    this.child.on('exit', () => {
      for (const waiter of this.waiters.values()) waiter.reject(new Error('the worker process has ended'));
      this.waiters.clear();
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  call<Result>(method: string, argument?: unknown): Promise<Result> {
    const request: WorkerRequest = { id: ++this.lastId, method, argument };
    return new Promise<unknown>((resolve, reject) => {
      if (!this.child.connected) {
        reject(new Error('the worker process has ended'));
        return;
      }
      this.waiters.set(request.id, { resolve, reject });
      this.child.send(request);
    }) as Promise<Result>;
  }

  /** The first call: a worker that cannot start is ended. */
  async start<Result>(method: string, options: unknown): Promise<Result> {
    try {
      return await this.call<Result>(method, options);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Ends the process: it exits when its channel closes. */
  close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.child.once('exit', () => {
        resolve();
      });
      if (this.child.connected) this.child.disconnect();
      else this.child.kill();
    });
  }

  private onAnswer(answer: WorkerAnswer): void {
    const waiter = this.waiters.get(answer.id);
    this.waiters.delete(answer.id);
    if (answer.error === undefined) waiter?.resolve(answer.result);
    else waiter?.reject(new Error(answer.error));
  }
}

/** A fake OAP in its own process. */
export class RemoteOap {
  readonly port: number;
  private readonly worker: Worker;

  private constructor(worker: Worker, port: number) {
    this.worker = worker;
    this.port = port;
  }

  static async start(options: Partial<OapOptions>): Promise<RemoteOap> {
    const worker = new Worker();
    return new RemoteOap(worker, await worker.start<number>('oap.start', options));
  }

  get pid(): number {
    return this.worker.pid;
  }

  stats(): Promise<OapStats> {
    return this.worker.call('oap.stats');
  }

  books(): Promise<NodeReport[]> {
    return this.worker.call('oap.books');
  }

  set(changes: Partial<OapOptions>): Promise<void> {
    return this.worker.call('oap.set', changes);
  }

  resetLatency(): Promise<void> {
    return this.worker.call('oap.resetLatency');
  }

  kill(): Promise<void> {
    return this.worker.call('oap.kill');
  }

  revive(): Promise<void> {
    return this.worker.call('oap.revive');
  }

  close(): Promise<void> {
    return this.worker.close();
  }
}

/** A fleet in its own process. */
export class RemoteFleet {
  private readonly worker: Worker;

  private constructor(worker: Worker) {
    this.worker = worker;
  }

  static async start(options: Partial<FleetOptions>): Promise<RemoteFleet> {
    const worker = new Worker();
    await worker.start('fleet.start', options);
    return new RemoteFleet(worker);
  }

  get pid(): number {
    return this.worker.pid;
  }

  stats(): Promise<FleetStats> {
    return this.worker.call('fleet.stats');
  }

  entriesByEnvoy(): Promise<ReadonlyMap<number, number>> {
    return this.worker.call('fleet.entries');
  }

  setRate(entriesPerSecond: number): Promise<void> {
    return this.worker.call('fleet.setRate', entriesPerSecond);
  }

  reconnectAll(overMs: number): Promise<void> {
    return this.worker.call('fleet.reconnectAll', overMs);
  }

  stop(): Promise<FleetStats> {
    return this.worker.call('fleet.stop');
  }

  close(): Promise<void> {
    return this.worker.close();
  }
}
