/** The independent gRPC implementations, each as a client that runs one case and as a server. */
import { join } from 'node:path';
import type { TestCertificates } from '../../support/certificates.js';
import { componentFolder, componentPath, type ComponentName } from '../../support/components.js';
import { accepts, findFreePorts } from '../../support/ports.js';
import { Child } from '../../support/process.js';
import { INTEROP_CASES } from './interop-cases.js';
import { connectJs } from './js-test-client.js';
import { serveJs } from './js-test-service.js';
import { PROTOCOL_FOLDER } from './interop-protocol.js';
import type { TestServer } from './our-test-service.js';

const READY_WITHIN_MS = 20_000;

export interface InteropPeer {
  readonly name: string;
  readonly needs: readonly ComponentName[];
  /** Runs one case against a server on `port`; with certificates, over TLS. @throws When it fails. */
  runClient(name: string, port: number, certificates: TestCertificates | null): Promise<void>;
  startServer(certificates: TestCertificates | null): Promise<TestServer>;
}

const grpcGo: InteropPeer = {
  name: 'grpc-go',
  needs: ['grpc-go-client', 'grpc-go-server'],
  runClient(name: string, port: number, certificates: TestCertificates | null): Promise<void> {
    const ca = ['--use_tls', '--use_test_ca', `--ca_file=${pathOf(certificates, 'ca.pem')}`];
    const to = ['--server_host=127.0.0.1', `--server_port=${port}`, `--test_case=${name}`];
    return runToEnd({
      command: componentPath('grpc-go-client'),
      args: certificates === null ? to : [...to, ...ca],
    });
  },
  startServer(certificates: TestCertificates | null): Promise<TestServer> {
    const cert = ['--use_tls', `--tls_cert_file=${pathOf(certificates, 'server.pem')}`];
    const tls = certificates === null ? [] : [...cert, `--tls_key_file=${pathOf(certificates, 'server.key')}`];
    return startProgram((port) => ({ command: componentPath('grpc-go-server'), args: [`--port=${port}`, ...tls] }));
  },
};

const grpcJs: InteropPeer = {
  name: 'grpc-js',
  needs: [],
  async runClient(name: string, port: number, certificates: TestCertificates | null): Promise<void> {
    const client = connectJs(port, certificates?.ca ?? null);
    try {
      await INTEROP_CASES[name]?.(client);
    } finally {
      client.close();
    }
  },
  startServer(certificates: TestCertificates | null): Promise<TestServer> {
    return serveJs(certificates === null ? null : { cert: certificates.serverCert, key: certificates.serverKey });
  },
};

const grpcPython: InteropPeer = {
  name: 'grpc-python',
  needs: ['grpc-python'],
  runClient(name: string, port: number, certificates: TestCertificates | null): Promise<void> {
    return runToEnd(
      python(['client', `${port}`, name, ...(certificates === null ? [] : [pathOf(certificates, 'ca.pem')])]),
    );
  },
  startServer(certificates: TestCertificates | null): Promise<TestServer> {
    const files = ['server.pem', 'server.key'].map((file) => pathOf(certificates, file));
    return startProgram((port) => python(['server', `${port}`, ...(certificates === null ? [] : files)]));
  },
};

export const INTEROP_PEERS: readonly InteropPeer[] = [grpcGo, grpcJs, grpcPython];

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function python(args: readonly string[]): Program {
  const path = [componentFolder('grpc-python'), PROTOCOL_FOLDER].join(':');
  return {
    command: 'python3',
    args: [join(PROTOCOL_FOLDER, 'interop_peer.py'), ...args],
    env: { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' },
  };
}

function pathOf(certificates: TestCertificates | null, file: string): string {
  return certificates === null ? '' : join(certificates.directory, file);
}

async function runToEnd(program: Program): Promise<void> {
  const child = new Child({ name: 'interop client', ...program });
  const { code } = await child.exited;
  if (code !== 0) throw new Error(child.output);
}

async function startProgram(programFor: (port: number) => Program): Promise<TestServer> {
  const [port = 0] = await findFreePorts(1);
  const child = new Child({ name: 'interop server', ...programFor(port) });
  await child.waitReady(READY_WITHIN_MS, () => accepts(port));
  return { port, close: () => child.kill() };
}
