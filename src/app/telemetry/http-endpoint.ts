/**
 * A small HTTP server for operators: a table of paths, each answered with a text. `/metrics` is the first of them;
 * health and readiness can stand beside it on the same port.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { SatelliteError } from '../../base/index.js';
import { listenFault, parseAddress } from '../../net/socket/index.js';
import { TELEMETRY_ADDRESS, TELEMETRY_LISTEN } from './errors.js';

/** What a route answers. */
export interface RouteAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Called for GET and HEAD of one exact path. */
export type Route = () => RouteAnswer | Promise<RouteAnswer>;

/** A scraper sends one short request: whoever needs longer holds a connection for nothing. */
const HEADERS_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How often node looks for those that are too slow; its own default, 30 s, would make the limits above ten times as long. */
const TIMEOUT_CHECK_MS = 1_000;
/** Above the usual scrape intervals (15 s to 60 s), so that a scrape never meets a connection being closed. */
const KEEP_ALIVE_TIMEOUT_MS = 90_000;
/** Operators and their scrapers, not a fleet. */
const MAX_CONNECTIONS = 64;

/** The server; routes may be added before and after it has started. */
export class HttpEndpoint {
  private readonly address: string;
  private readonly routes = new Map<string, Route>();
  private readonly server: Server;

  constructor(address: string) {
    this.address = address;
    const timeouts = {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    };
    this.server = createServer(timeouts, (request, response) => {
      void this.answer(request, response);
    });
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** Adds or replaces the answer to one path. */
  route(path: string, route: Route): void {
    this.routes.set(path, route);
  }

  /**
   * Binds the address.
   * @throws SAT_TEL_ADDRESS, SAT_TEL_LISTEN
   */
  async start(): Promise<void> {
    const address = parseAddress(this.address);
    if (address?.kind !== 'tcp')
      throw new SatelliteError(TELEMETRY_ADDRESS, `cannot read the address "${this.address}"`);
    const { host, port } = address;
    await new Promise<void>((resolve, reject) => {
      const onError = (cause: NodeJS.ErrnoException): void => {
        const reason = `cannot listen on ${this.address} for metrics: ${listenFault(cause)}`;
        const remedy = 'set telemetry.prometheus.address to one that is free and of this machine';
        reject(new SatelliteError(TELEMETRY_LISTEN, `${reason}; ${remedy}`, { cause }));
      };
      this.server.once('error', onError);
      this.server.listen(host === '' ? { port } : { port, host }, () => {
        this.server.off('error', onError);
        resolve();
      });
    });
  }

  /** The bound port, for logs and tests; 0 before `start`. */
  get port(): number {
    const bound = this.server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : 0;
  }

  /** Stops listening and cuts what is open. Idempotent. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    await new Promise<void>((resolve) => {
      this.server.close(() => {
        resolve();
      });
      this.server.closeAllConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, body } = await this.answerFor(request);
    if (response.destroyed) return;
    const length = Buffer.byteLength(body);
    response.writeHead(status, { 'content-type': contentType, 'content-length': length });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  private async answerFor(request: IncomingMessage): Promise<RouteAnswer> {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const route = this.routes.get(path);
    if (route === undefined) return plain(404, 'not found');
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'method not allowed');
    try {
      return await route();
    } catch (error) {
      return plain(500, SatelliteError.from(error).message);
    }
  }
}

function plain(status: number, text: string): RouteAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}
