/** The stage between queue and sender: runs the filters, in the order of the configuration, over each event. */
import type { Event } from '../event.js';
import type { Filter } from './contract.js';
import type { Recovery } from './recovery.js';
import type { Settlement } from './settlement.js';

export class Processor {
  private readonly filters: readonly Filter[];
  private readonly settlement: Settlement;
  private readonly recovery: Recovery;

  constructor(filters: readonly Filter[], settlement: Settlement, recovery: Recovery) {
    this.filters = filters;
    this.settlement = settlement;
    this.recovery = recovery;
  }

  /** False: a filter dropped the event, or threw on it; counted. */
  keeps(event: Event): boolean {
    try {
      for (let index = 0; index < this.filters.length; index++) {
        if (this.filters[index]!.keeps(event)) continue;
        this.settlement.dropTaken(event, 'filtered');
        return false;
      }
      return true;
    } catch (error) {
      this.recovery.onException('filter', error);
      this.settlement.dropTaken(event, 'plugin_failed');
      return false;
    }
  }
}
