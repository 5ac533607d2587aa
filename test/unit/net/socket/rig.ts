/** A server and connections to it over real sockets on loopback, for tests. */
import type { SatelliteError } from '../../../../src/base/index.js';
import { systemClock, TimerWheel } from '../../../../src/base/index.js';
import type {
  CallOptions,
  ClientCall,
  ClientConnection,
  MethodRegistry,
  Peer,
  Status,
} from '../../../../src/net/grpc/contract.js';
import { GrpcServer, ReassemblyMeter, type GrpcServerSettings } from '../../../../src/net/grpc/index.js';
import {
  createDial,
  listen,
  type DialSettings,
  type Listener,
  type ListenSettings,
  type SocketAddress,
} from '../../../../src/net/socket/index.js';

export const MAX_MESSAGE_BYTES = 1024 * 1024;

/** What one call came to. */
export interface Outcome {
  readonly status: Status;
  readonly messages: string[];
}

export interface TestServer {
  readonly server: GrpcServer;
  readonly listener: Listener;
  readonly address: SocketAddress;
  readonly errors: SatelliteError[];
  readonly refusals: string[];
  readonly bugs: unknown[];
  connect(settings?: Partial<DialSettings>): Promise<ClientConnection>;
  clientStream(path: string, messages: readonly string[], options?: CallOptions): Promise<Outcome>;
  close(): Promise<void>;
}

export const LISTEN_DEFAULTS: Omit<ListenSettings, 'events'> = {
  clock: systemClock,
  address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
  tls: null,
  maxConcurrentStreams: 100,
  refuse: () => null,
  setupTimeoutMs: 10_000,
  idleTimeoutMs: 0,
  keepaliveTimeMs: 0,
  keepaliveTimeoutMs: 10_000,
  tcpKeepaliveMs: 60_000,
  http1Hint: 'HTTP is served on port 12800.',
};

export const DIAL_DEFAULTS: DialSettings = {
  clock: systemClock,
  tls: null,
  connectTimeoutMs: 10_000,
  keepaliveTimeMs: 0,
  keepaliveTimeoutMs: 10_000,
  authority: 'satellite.test',
  maxReceiveMessageBytes: MAX_MESSAGE_BYTES,
};

/** A dialer of its own, so that tests do not share what it remembers. */
export function createTestDial(bugs: unknown[] = []): ReturnType<typeof createDial> {
  return createDial({
    clock: systemClock,
    maxReassemblyBytes: 64 * 1024 * 1024,
    budget: null,
    onBug: (error) => bugs.push(error),
  });
}

export async function startServer(
  register: (registry: MethodRegistry) => void,
  listenSettings: Partial<ListenSettings> = {},
  grpcSettings: Partial<GrpcServerSettings> = {},
): Promise<TestServer> {
  const errors: SatelliteError[] = [];
  const refusals: string[] = [];
  const bugs: unknown[] = [];
  const server = new GrpcServer({
    clock: systemClock,
    wheel: new TimerWheel(systemClock),
    meter: new ReassemblyMeter(64 * 1024 * 1024, null),
    maxReceiveMessageBytes: MAX_MESSAGE_BYTES,
    onHandlerError: (_path, error) => bugs.push(error),
    onUnknownMethod: () => undefined,
    ...grpcSettings,
  });
  register(server);
  const events = {
    onRefused: (_peer: Peer, reason: string) => refusals.push(reason),
    onConnectionError: (_peer: Peer, error: SatelliteError) => errors.push(error),
    onBug: (error: unknown) => bugs.push(error),
    onListenerError: (error: SatelliteError) => errors.push(error),
  };
  const listener = await listen({ ...LISTEN_DEFAULTS, events, ...listenSettings }, server);
  const bound = listenSettings.address ?? LISTEN_DEFAULTS.address;
  const address: SocketAddress =
    bound.kind === 'unix' ? bound : { kind: 'tcp', host: '127.0.0.1', port: listener.port };
  const dial = createTestDial(bugs);
  const open = new Set<ClientConnection>();
  const connect = (settings: Partial<DialSettings> = {}): Promise<ClientConnection> =>
    new Promise((resolve, reject) => {
      const connection = dial(
        address,
        { ...DIAL_DEFAULTS, ...settings },
        {
          onReady: resolve,
          onFreeStream: () => undefined,
          onDraining: () => undefined,
          onClosed: (_connection, error) => {
            open.delete(connection);
            reject(error ?? new Error('closed before it was ready'));
          },
        },
      );
      open.add(connection);
    });
  return {
    server,
    listener,
    address,
    errors,
    refusals,
    bugs,
    connect,
    clientStream: async (path, messages, options = {}) => {
      const connection = await connect();
      const outcome = await exchange(
        connection,
        path,
        messages.map((text) => Buffer.from(text)),
        options,
      );
      connection.drain();
      return outcome;
    },
    close: async () => {
      for (const connection of open) connection.destroy('the test is over');
      await listener.close();
    },
  };
}

/** Makes one call: sends all messages, half-closes, collects what comes. */
export function exchange(
  connection: ClientConnection,
  path: string,
  messages: readonly Uint8Array[],
  options: CallOptions = {},
  onOpen: (call: ClientCall) => void = () => undefined,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const received: string[] = [];
    const call = connection.openCall(
      path,
      {
        onMessage: (_call, message) => received.push(Buffer.concat(message.parts).toString('latin1')),
        onStatus: (_call, status) => {
          resolve({ status, messages: received });
        },
      },
      options,
    );
    if (call === null) {
      reject(new Error('no free stream'));
      return;
    }
    for (const message of messages) call.sendMessage([message], message.length);
    call.halfClose();
    onOpen(call);
  });
}
