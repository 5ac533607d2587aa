/** A folder as Kubernetes mounts a secret: files are links into `..data`, which is swapped as a whole. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class MountedSecret {
  readonly directory = mkdtempSync(join(tmpdir(), 'satellite-secret-'));
  private version = 0;

  constructor(files: Readonly<Record<string, Buffer>>) {
    this.swap(files);
    for (const name of Object.keys(files)) symlinkSync(join('..data', name), this.path(name));
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** New contents for all files at once. */
  swap(files: Readonly<Record<string, Buffer>>): void {
    const version = `..version_${String(++this.version)}`;
    mkdirSync(this.path(version));
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(this.directory, version, name), bytes);
    symlinkSync(version, this.path('..data_tmp'));
    renameSync(this.path('..data_tmp'), this.path('..data'));
  }

  remove(): void {
    rmSync(this.directory, { recursive: true });
  }
}
