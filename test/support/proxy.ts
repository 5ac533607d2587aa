/** A real HTTP/2 proxy between a port of its own and another one, configured as test/e2e/proxies/ shows. */
import { readFileSync } from 'node:fs';
import { componentPath } from './components.js';
import { accepts, findFreePorts } from './ports.js';
import { Child } from './process.js';
import { repositoryUrl } from './repository.js';
import { makeTemporaryFolder, writeTemporary } from './temporary.js';

const READY_WITHIN_MS = 20_000;

export type ProxyName = 'nginx' | 'haproxy' | 'nghttpx' | 'envoy';

/** File below test/e2e/proxies/, and the arguments that make the program stay in the foreground with it. */
const PROXIES: Readonly<Record<ProxyName, { file: string; args: (config: string, folder: string) => string[] }>> = {
  nginx: { file: 'nginx.conf', args: (config, folder) => ['-p', folder, '-c', config, '-e', 'stderr'] },
  haproxy: { file: 'haproxy.cfg', args: (config) => ['-db', '-f', config] },
  nghttpx: { file: 'nghttpx.conf', args: (config) => [`--conf=${config}`] },
  envoy: {
    file: 'envoy.yaml',
    args: (config) => ['-c', config, '--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'warning'],
  },
};

export const PROXY_NAMES = Object.keys(PROXIES) as ProxyName[];

export class Proxy {
  readonly port: number;
  private readonly child: Child;

  private constructor(port: number, child: Child) {
    this.port = port;
    this.child = child;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Resolves when it accepts; `upstream` need not listen yet. */
  static async start(name: ProxyName, upstream: number): Promise<Proxy> {
    const [port = 0] = await findFreePorts(1);
    const folder = makeTemporaryFolder();
    const { file, args } = PROXIES[name];
    const template = readFileSync(repositoryUrl(`test/e2e/proxies/${file}`), 'utf8');
    const values: Record<string, string> = { LISTEN: `${port}`, UPSTREAM: `${upstream}`, FOLDER: folder };
    const config = writeTemporary(
      file,
      template.replace(/\$(LISTEN|UPSTREAM|FOLDER)/g, (_, key: string) => values[key] ?? ''),
    );
    const child = new Child({ name, command: componentPath(name), args: args(config, folder) });
    await child.waitReady(READY_WITHIN_MS, () => accepts(port));
    return new Proxy(port, child);
  }

  async stop(): Promise<void> {
    await this.child.stop();
  }
}
