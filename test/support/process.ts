/** Programs a test starts: their output is kept, they are waited for, and none outlives the test process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { eventually } from './eventually.js';

/** Enough for the start of a log and for what was said last. */
const KEPT_OUTPUT_CHARS = 256 * 1024;
const STOP_TIMEOUT_MS = 15_000;

export interface ChildSettings {
  /** For messages. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Added to this process's environment; `undefined` takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class Child {
  readonly exited: Promise<ChildExit>;
  private readonly child: ChildProcess;
  private readonly settings: ChildSettings;
  private text = '';
  private exit: ChildExit | null = null;

  constructor(settings: ChildSettings) {
    this.settings = settings;
    this.child = spawn(settings.command, settings.args, {
      cwd: settings.cwd,
      env: { ...process.env, ...settings.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this.child);
    const keep = (part: Buffer): void => {
      this.text = (this.text + part.toString()).slice(-KEPT_OUTPUT_CHARS);
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
    this.exited = new Promise((resolve) => {
      const finish = (exit: ChildExit): void => {
        running.delete(this.child);
        this.exit = exit;
        resolve(exit);
      };
      this.child.once('close', (code, signal) => finish({ code, signal }));
      this.child.once('error', (error) => {
        this.text += `\n${error.message}`;
        finish({ code: null, signal: null });
      });
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.settings.name} did not start\n${this.text}`);
    return this.child.pid;
  }

  /** Standard output and error, in the order they came. */
  get output(): string {
    return this.text;
  }

  get hasExited(): boolean {
    return this.exit !== null;
  }

  /** Waits until `isReady` says so. @throws When the program ends before, with its output. */
  async waitReady(withinMs: number, isReady: () => Promise<boolean> | boolean): Promise<void> {
    try {
      await eventually({ until: `${this.settings.name} is ready`, withinMs }, async () => {
        if (this.exit !== null) return 'exited';
        return (await isReady()) ? 'ready' : undefined;
      });
    } catch (error) {
      await this.kill();
      throw new Error(`${this.settings.name} is not ready within ${withinMs} ms\n${this.text}`, { cause: error });
    }
    if (this.exit !== null) throw new Error(`${this.settings.name} ended with ${describe(this.exit)}\n${this.text}`);
  }

  /** Signals and waits for the end. @throws When it does not end in time; it is killed then. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', withinMs = STOP_TIMEOUT_MS): Promise<ChildExit> {
    this.signal(signal);
    try {
      return await eventually({ until: `${this.settings.name} has ended`, withinMs, everyMs: 20 }, () => {
        return this.exit ?? undefined;
      });
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (this.exit === null) this.child.kill(signal);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }
}

function describe(exit: ChildExit): string {
  return exit.signal ?? `status ${exit.code}`;
}
