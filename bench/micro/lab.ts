/** What the tools of the bench spend themselves. */
import { TemplatePool } from '../../src/lab/fleet/message-template.js';
import { DEFAULT_FLEET_OPTIONS } from '../../src/lab/fleet/options.js';
import type { Micro } from './micro.js';

export function fillTemplate(): Micro {
  const pool = new TemplatePool('http', DEFAULT_FLEET_OPTIONS.entryBytes);
  return {
    title: 'laboratory: make a 16 KB message from its template',
    run: (times) => {
      for (let count = 0; count < times; count++) {
        const template = pool.take(13);
        template.fill(1, 1, count * 13 + 1, 1_796_100_632_411);
        pool.give(template);
      }
    },
  };
}
