import type { Endpoint } from './endpoint.js';
import type { ResolvedEndpoint } from './resolver.js';

/** What one report of the resolver changed. */
export interface SetChange {
  readonly departed: readonly Endpoint[];
  readonly arrived: readonly Endpoint[];
}

/** The endpoints of a channel, kept equal to what the resolver reports. */
export class EndpointSet {
  private readonly create: (resolved: ResolvedEndpoint) => Endpoint;
  private readonly byLabel = new Map<string, Endpoint>();
  private current: readonly Endpoint[] = [];

  constructor(create: (resolved: ResolvedEndpoint) => Endpoint) {
    this.create = create;
  }

  /** Read-only; replaced, never changed. */
  get all(): readonly Endpoint[] {
    return this.current;
  }

  /**
   * Takes over a complete new list: known endpoints stay as they are.
   * @returns what is to be started, and what is to leave.
   */
  replace(resolved: readonly ResolvedEndpoint[]): SetChange {
    const listed = new Set(resolved.map((item) => item.label));
    const departed = this.current.filter((endpoint) => !listed.has(endpoint.address));
    for (const endpoint of departed) this.byLabel.delete(endpoint.address);
    const arrived: Endpoint[] = [];
    for (const item of resolved) {
      if (this.byLabel.has(item.label)) continue;
      const endpoint = this.create(item);
      this.byLabel.set(item.label, endpoint);
      arrived.push(endpoint);
    }
    this.current = [...this.byLabel.values()];
    return { departed, arrived };
  }
}
