import type { Endpoint } from './endpoint.js';
import type { ResolvedEndpoint } from './resolver.js';

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
   * Takes over a complete new list: known endpoints stay as they are, new ones start, missing ones leave.
   * @returns those that left.
   */
  replace(resolved: readonly ResolvedEndpoint[]): readonly Endpoint[] {
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
    // Both only now: whoever looks from inside sees the new set.
    for (const endpoint of departed) endpoint.leave();
    for (const endpoint of arrived) endpoint.start();
    return departed;
  }
}
