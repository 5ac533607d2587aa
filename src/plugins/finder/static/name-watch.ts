import type { Timer } from '../../../base/index.js';
import type { ProcessSettings } from '../../../core/plugin.js';
import type { Lookup } from './lookup.js';

/** Looks come this much later at random, so that names and processes do not ask all at once; never earlier. */
const JITTER_RATIO = 0.2;

/**
 * One host name, resolved now and again: at most one query at a time and one per period, also while it fails or every
 * backend is down.
 */
export class NameWatch {
  private readonly host: string;
  private readonly periodMs: number;
  private readonly settings: ProcessSettings;
  private readonly lookup: Lookup;
  private readonly onChange: () => void;
  /** What was found last, sorted. */
  private found: readonly string[] = [];
  private isFailing = false;
  private isClosed = false;
  private timer: Timer | null = null;

  constructor(host: string, periodMs: number, settings: ProcessSettings, lookup: Lookup, onChange: () => void) {
    this.host = host;
    this.periodMs = periodMs;
    this.settings = settings;
    this.lookup = lookup;
    this.onChange = onChange;
  }

  /** Empty until the first success. */
  get addresses(): readonly string[] {
    return this.found;
  }

  start(): void {
    this.look();
  }

  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private look(): void {
    const startedMs = this.settings.clock.now();
    this.lookup(this.host).then(
      (addresses) => {
        this.finish(startedMs, addresses, 'no addresses');
      },
      (error: unknown) => {
        this.finish(startedMs, [], error instanceof Error ? error.message : String(error));
      },
    );
  }

  private finish(startedMs: number, addresses: readonly string[], failure: string): void {
    if (this.isClosed) return;
    const { clock, random } = this.settings;
    const periodMs = this.periodMs * (1 + random() * JITTER_RATIO);
    this.timer = clock.setTimer(Math.max(0, startedMs + periodMs - clock.now()), () => {
      this.look();
    });
    if (addresses.length === 0) this.fail(failure);
    else this.succeed(usable(this.host, addresses));
  }

  /** Said once; what was found before stays. */
  private fail(reason: string): void {
    if (this.isFailing) return;
    this.isFailing = true;
    const consequence = this.found.length === 0 ? 'trying on' : `keeping ${this.found.join(', ')}`;
    this.settings.log.warn(`cannot resolve ${this.host}: ${reason}; ${consequence}`, { host: this.host });
  }

  private succeed(addresses: readonly string[]): void {
    const isSame = addresses.join() === this.found.join();
    if (this.isFailing || !isSame) {
      this.settings.log.info(`${this.host} is ${addresses.join(', ')}`, { host: this.host });
    }
    this.isFailing = false;
    if (isSame) return;
    this.found = addresses;
    this.onChange();
  }
}

/** Sorted, each once. The two addresses of `localhost` are one machine, of which the first family is enough. */
function usable(host: string, addresses: readonly string[]): readonly string[] {
  const unique = [...new Set(addresses)].sort();
  return host === 'localhost' && unique.includes('127.0.0.1') ? ['127.0.0.1'] : unique;
}
