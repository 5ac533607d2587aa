/** The stage between queue and sender: runs the filters, in the order of the configuration, over each event. */
import type { Event } from '../event.js';
import type { Filter } from './contract.js';
import type { Settlement } from './settlement.js';

export class Processor {
  private readonly filters: readonly Filter[];
  private readonly settlement: Settlement;

  constructor(filters: readonly Filter[], settlement: Settlement) {
    this.filters = filters;
    this.settlement = settlement;
  }

  /** False: a filter dropped the event, counted. */
  keeps(event: Event): boolean {
    for (let index = 0; index < this.filters.length; index++) {
      if (this.filters[index]!.keeps(event)) continue;
      this.settlement.dropTaken(event, 'filtered');
      return false;
    }
    return true;
  }
}
