import type { ProcessSettings } from '../../../core/plugin.js';
import { endpointAt, parseServerList } from '../../../core/balance/index.js';
import type { EndpointsListener, FinderConfig, Resolver, ServerEntry } from '../../../core/balance/index.js';
import type { Lookup } from './lookup.js';
import { NameWatch } from './name-watch.js';

/**
 * The endpoints of a configured list. Literal addresses are known at once; each name adds what it resolves to, in the
 * order of the list.
 */
export class StaticResolver implements Resolver {
  private readonly settings: ProcessSettings;
  private readonly entries: readonly ServerEntry[];
  private readonly watches = new Map<string, NameWatch>();
  private listener: EndpointsListener | null = null;

  constructor(config: FinderConfig, settings: ProcessSettings, lookup: Lookup) {
    this.settings = settings;
    this.entries = parseServerList(config.server_addr).entries;
    for (const entry of this.entries) {
      // One watch per name, whatever the ports.
      if (entry.kind !== 'name' || this.watches.has(entry.host)) continue;
      const onChange = (): void => {
        this.publish();
      };
      this.watches.set(entry.host, new NameWatch(entry.host, config.check_period, settings, lookup, onChange));
    }
  }

  start(listener: EndpointsListener): void {
    this.listener = listener;
    if (this.entries.length === 0) {
      this.settings.log.warn('server_addr names no backend: data is held until it does, which takes a restart');
    }
    if (this.entries.some((entry) => entry.kind === 'fixed')) this.publish();
    for (const watch of this.watches.values()) watch.start();
  }

  close(): void {
    this.listener = null;
    for (const watch of this.watches.values()) watch.close();
  }

  private publish(): void {
    const endpoints = this.entries.flatMap((entry) =>
      entry.kind === 'fixed'
        ? [entry.endpoint]
        : this.watches.get(entry.host)!.addresses.map((address) => endpointAt(address, entry.port, entry.host)),
    );
    this.listener?.(endpoints);
  }
}
