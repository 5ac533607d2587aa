import { BUG, SatelliteError } from '../../base/index.js';
import type { DataType } from '../data-type.js';
import type { Forwarder } from './contract.js';

/** The forwarder of a data type whose methods are all relays: it only names where they go. */
export class RelayForwarder implements Forwarder {
  readonly dataType: DataType;
  readonly paths: readonly string[];
  readonly callUnit = 'event';

  constructor(dataType: DataType, paths: readonly string[]) {
    this.dataType = dataType;
    this.paths = paths;
  }

  writeBatch(): void {
    throw new SatelliteError(BUG, `a relayed kind was queued: ${this.dataType}`);
  }

  onDelivered(): void {
    // Nothing is ever sent from the queue.
  }
}
