/** A piece of network that can be broken: passes TCP connections on to one address, as well as it is told to. */
import { connect, createServer, type Server, type Socket } from 'node:net';
import { systemClock, type Clock, type Timer } from '../../base/index.js';

export interface FaultyNetwork {
  readonly port: number;
  /** `host:port` */
  readonly address: string;
  /** Connections now. */
  readonly connections: number;
  /** Resets every connection (RST), towards both sides. */
  resetAll(): void;
  /**
   * Forgets every connection without a word to who connected, as a host does that lost its power, or a NAT that was
   * restarted: what comes is swallowed, nothing is ever answered or closed. New connections pass.
   */
  forgetAll(): void;
  /** From now on new connections are reset at once, or no longer. */
  refuse(isRefusing: boolean): void;
  /** No byte passes any more, yet nothing is closed: a cable that was pulled, a peer that is stopped. Or it does again. */
  freeze(isFrozen: boolean): void;
  /** Bytes per second of each direction of each connection; Infinity: as fast as it goes. */
  setSpeed(bytesPerSecond: number): void;
  /** How long a byte, or the end of a connection, takes each way. @order before the first connection. */
  setLatency(latencyMs: number): void;
  close(): Promise<void>;
}

/** Where the bytes go; read anew for each connection. */
export interface Target {
  readonly host?: string;
  readonly port: number;
}

export async function startFaultyNetwork(target: Target, clock: Clock = systemClock): Promise<FaultyNetwork> {
  const network = new Network(target, clock);
  await network.listen();
  return network;
}

class Network implements FaultyNetwork {
  port = 0;
  isFrozen = false;
  bytesPerSecond = Infinity;
  latencyMs = 0;
  readonly clock: Clock;
  private readonly target: Target;
  private readonly server: Server;
  private readonly links = new Set<Link>();
  private isRefusing = false;

  constructor(target: Target, clock: Clock) {
    this.target = target;
    this.clock = clock;
    this.server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (near) => {
      this.accept(near);
    });
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get connections(): number {
    return this.links.size;
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, '127.0.0.1', () => {
        const bound = this.server.address();
        if (typeof bound === 'object' && bound !== null) this.port = bound.port;
        resolve();
      });
    });
  }

  resetAll(): void {
    for (const link of this.links) link.reset();
  }

  forgetAll(): void {
    for (const link of this.links) link.forget();
  }

  refuse(isRefusing: boolean): void {
    this.isRefusing = isRefusing;
  }

  freeze(isFrozen: boolean): void {
    this.isFrozen = isFrozen;
    for (const link of this.links) link.update();
  }

  setSpeed(bytesPerSecond: number): void {
    this.bytesPerSecond = bytesPerSecond;
  }

  setLatency(latencyMs: number): void {
    this.latencyMs = latencyMs;
  }

  /** Does it when what was sent before has arrived. */
  carry(action: () => void): void {
    if (this.latencyMs === 0) action();
    else this.clock.setTimer(this.latencyMs, action);
  }

  close(): Promise<void> {
    this.resetAll();
    return new Promise((resolve) => {
      this.server.close(() => {
        resolve();
      });
    });
  }

  private accept(near: Socket): void {
    if (this.isRefusing) {
      near.resetAndDestroy();
      return;
    }
    const { host = '127.0.0.1', port } = this.target;
    const far = connect({ host, port, allowHalfOpen: true, noDelay: true });
    const link: Link = new Link(this, near, far, () => this.links.delete(link));
    this.links.add(link);
  }
}

/** One connection through the network: two sockets, two directions. */
class Link {
  private readonly near: Socket;
  private readonly far: Socket;
  private readonly directions: readonly Direction[];
  private readonly onClosed: () => void;
  private isOver = false;
  private isForgotten = false;

  constructor(network: Network, near: Socket, far: Socket, onClosed: () => void) {
    this.near = near;
    this.far = far;
    this.onClosed = onClosed;
    this.directions = [new Direction(network, near, far), new Direction(network, far, near)];
    for (const socket of [near, far]) {
      let isBroken = false;
      socket.on('error', () => {
        isBroken = true;
      });
      socket.on('close', () => {
        if (this.isForgotten && socket === far) return;
        network.carry(() => {
          this.end(isBroken);
        });
      });
    }
  }

  update(): void {
    for (const direction of this.directions) direction.update();
  }

  reset(): void {
    this.end(true);
  }

  forget(): void {
    if (this.isForgotten) return;
    this.isForgotten = true;
    for (const direction of this.directions) direction.stop();
    this.far.resetAndDestroy();
    // What comes is read, so that the end is noticed when who connected gives up.
    this.near.removeAllListeners('data').resume();
    this.near.once('end', () => this.near.destroy());
  }

  /** One side is gone: so is the other, in the same way. A socket that closed in order has sent its FIN on before. */
  private end(isBroken: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const direction of this.directions) direction.stop();
    for (const socket of [this.near, this.far]) {
      if (isBroken) socket.resetAndDestroy();
      else socket.destroySoon();
    }
    this.onClosed();
  }
}

class Direction {
  private readonly network: Network;
  private readonly from: Socket;
  /** Waits for the reader, or for the time the last chunk takes at this speed. */
  private isCongested = false;
  private timer: Timer | null = null;
  private isStopped = false;

  constructor(network: Network, from: Socket, to: Socket) {
    this.network = network;
    this.from = from;
    from.on('data', (chunk: Buffer) => {
      network.carry(() => {
        if (this.isStopped) return;
        this.isCongested = !to.write(chunk);
        this.update();
      });
      this.delay(chunk.length);
      this.update();
    });
    from.on('end', () => {
      network.carry(() => {
        to.end();
      });
    });
    to.on('drain', () => {
      this.isCongested = false;
      this.update();
    });
    this.update();
  }

  update(): void {
    if (this.isStopped) return;
    if (this.network.isFrozen || this.isCongested || this.timer !== null) this.from.pause();
    else this.from.resume();
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  private delay(bytes: number): void {
    const delayMs = (bytes * 1000) / this.network.bytesPerSecond;
    if (delayMs < 1) return;
    this.timer = this.network.clock.setTimer(delayMs, () => {
      this.timer = null;
      this.update();
    });
  }
}
