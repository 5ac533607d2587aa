import type { Timer } from '../../base/index.js';
import type { ClientConnection, ClientConnectionEvents } from '../../net/grpc/contract.js';

/** Whom a pooled connection reports to: its subchannel. */
export interface PoolOwner {
  handleReady(pooled: PooledConnection): void;
  handleFreeStream(): void;
  handleDraining(pooled: PooledConnection, reason: string): void;
  handleClosed(pooled: PooledConnection, error: Error | null): void;
}

/** One dialled connection with what its subchannel needs to know about it. */
export class PooledConnection implements ClientConnectionEvents {
  /** Null while the dial has not returned; it may report its failure before that. */
  connection: ClientConnection | null = null;
  /** When it became ready. */
  readyMs = 0;
  /** Its age limit has passed: it serves until a younger one is ready. */
  isAged = false;
  ageTimer: Timer | null = null;
  private readonly owner: PoolOwner;

  constructor(owner: PoolOwner) {
    this.owner = owner;
  }

  onReady(connection: ClientConnection): void {
    this.connection = connection;
    this.owner.handleReady(this);
  }

  onFreeStream(): void {
    this.owner.handleFreeStream();
  }

  onDraining(_connection: ClientConnection, reason: string): void {
    this.owner.handleDraining(this, reason);
  }

  onClosed(_connection: ClientConnection, error: Error | null): void {
    this.owner.handleClosed(this, error);
  }
}
