/** The server's side of a call without a network: drives a handler as the gRPC server would. */
import type { Message, MethodHandler, MethodRegistry, Peer, ServerCall, Status } from '../../src/net/grpc/contract.js';
import { messageOf } from './als.js';

export class FakeRegistry implements MethodRegistry {
  readonly handlers = new Map<string, MethodHandler>();

  register(path: string, handler: MethodHandler): void {
    if (this.handlers.has(path)) throw new Error(`taken: ${path}`);
    this.handlers.set(path, handler);
  }

  /** Opens a call as a source would. */
  open(
    path: string,
    options: { host?: string; deadlineMs?: number; metadata?: readonly string[] } = {},
  ): FakeServerCall {
    const handler = this.handlers.get(path);
    if (handler === undefined) throw new Error(`unknown: ${path}`);
    const { host = '10.0.0.1', deadlineMs = Infinity, metadata = [] } = options;
    return new FakeServerCall(path, handler, host, deadlineMs, metadata);
  }
}

export class FakeServerCall implements ServerCall {
  readonly path: string;
  readonly metadata: readonly string[];
  readonly peer: Peer;
  readonly deadlineMs: number;
  isEnded = false;
  /** What the source has not read of the answers. */
  unsentBytes = 0;
  state: unknown = undefined;
  /** What the handler answered. */
  readonly replies: Uint8Array[] = [];
  /** Fields of its response's headers; null: none sent yet, or trailers only. */
  headers: readonly string[] | null = null;
  status: Pick<Status, 'code' | 'message' | 'trailers'> | null = null;
  /** Pauses not yet resumed. */
  pauses = 0;
  private readonly handler: MethodHandler;
  private isDrained = false;

  constructor(path: string, handler: MethodHandler, host: string, deadlineMs: number, metadata: readonly string[]) {
    this.path = path;
    this.metadata = metadata;
    this.handler = handler;
    this.peer = { host, port: 1, isTls: false };
    this.deadlineMs = deadlineMs;
    handler.onCall(this);
  }

  // --- the source's side ---

  send(message: Message | Uint8Array): this {
    if (!this.isEnded) this.handler.onMessage(this, message instanceof Uint8Array ? messageOf(message) : message);
    return this;
  }

  halfClose(): this {
    if (!this.isEnded) this.handler.onHalfClose(this);
    return this;
  }

  /** The server drains the call; its source, which does not know yet, may go on sending until it stops. */
  drain(): this {
    this.isDrained = true;
    return this.halfClose();
  }

  /** The source has seen the answer of a drained call. */
  stop(): void {
    this.end(this.status === null, 'reset by the source');
  }

  cancel(reason = 'reset by the source'): this {
    this.end(true, reason);
    return this;
  }

  // --- the handler's side ---

  sendHeaders(metadata: readonly string[]): void {
    this.headers ??= metadata;
  }

  sendMessage(parts: readonly Uint8Array[]): void {
    if (this.isEnded || this.status !== null) return;
    this.headers ??= [];
    this.replies.push(Buffer.concat(parts));
  }

  finish(code: number, message = '', trailers: readonly string[] = []): void {
    if (this.isEnded || this.status !== null) return;
    this.status = { code, message, trailers };
    if (!this.isDrained || this.handler.takesLateMessages !== true) this.end(false, '');
  }

  pause(): void {
    this.pauses++;
  }

  resume(): void {
    this.pauses--;
  }

  private end(isCancelled: boolean, reason: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.handler.onEnd(this, isCancelled, reason);
  }
}
