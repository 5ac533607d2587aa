/**
 * Follows the TLS files of a server or a client while it runs, so that certificates are renewed without a restart.
 *
 * The files are read again every CHECK_MS: the one place that polls. Notifications would be no substitute, for mounted
 * secrets change by a swap of symbolic links above the file, and network and overlay file systems tell nothing; and a
 * few kilobytes read now and then cost nothing beside certificates that live for days.
 *
 * Renewed files count once two readings in a row agree: certificate and key are often written one after the other. Files
 * that cannot be used are refused once, and what was good stays in use.
 */
import type { Clock, Timer } from '../../base/index.js';
import { certificateExpiryMs, checkTlsMaterial, type TlsMaterial } from './tls-material.js';

/** Renewed files are in use within two of these. */
const CHECK_MS = 5000;

export interface TlsFollowerSettings<Material extends TlsMaterial> {
  readonly clock: Clock;
  /** Reads all files. @throws what is wrong with them. */
  readonly read: () => Promise<Material>;
  /** New material to use from now on. @throws when it cannot be used after all. */
  readonly onRenewed: (material: Material) => void;
  /** Files changed into something that cannot be used. */
  readonly onRefused: (error: unknown) => void;
}

export class TlsFollower<Material extends TlsMaterial> {
  private readonly settings: TlsFollowerSettings<Material>;
  /** What is in use. */
  private current: Material;
  /** What the last reading found, used or not. */
  private seen: string;
  /** What has been used or refused last. */
  private judged: string;
  private timer: Timer | null = null;
  private isClosed = false;

  constructor(initial: Material, settings: TlsFollowerSettings<Material>) {
    this.settings = settings;
    this.current = initial;
    this.seen = printOf(initial);
    this.judged = this.seen;
    this.arm();
  }

  /** When the certificate in use expires. @units Unix milliseconds; NaN without one. */
  get expiryMs(): number {
    return certificateExpiryMs(this.current.cert);
  }

  /** Reads the files once; the timer does so by itself. */
  async check(): Promise<void> {
    let material: Material | null = null;
    let print: string;
    let failure: unknown = null;
    try {
      material = await this.settings.read();
      print = printOf(material);
    } catch (error) {
      failure = error;
      print = String(error);
    }
    if (this.isClosed) return;
    const isSettled = print === this.seen;
    this.seen = print;
    if (!isSettled || print === this.judged) return;
    this.judged = print;
    if (material === null) this.settings.onRefused(failure);
    else this.renew(material);
  }

  /** Idempotent. */
  close(): void {
    this.isClosed = true;
    this.timer?.cancel();
  }

  private renew(material: Material): void {
    const { settings } = this;
    try {
      checkTlsMaterial(material);
      const expiryMs = certificateExpiryMs(material.cert);
      if (expiryMs <= settings.clock.wallNow()) throw new Error('the new certificate has expired');
      settings.onRenewed(material);
      this.current = material;
    } catch (error) {
      settings.onRefused(error);
    }
  }

  private arm(): void {
    this.timer = this.settings.clock.setTimer(CHECK_MS, () => {
      void this.check().then(() => {
        if (!this.isClosed) this.arm();
      });
    });
  }
}

/** The same for the same files. */
function printOf(material: TlsMaterial): string {
  return [material.cert, material.key, material.ca].map((part) => part?.toString() ?? '').join('\0');
}
