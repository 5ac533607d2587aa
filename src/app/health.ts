/**
 * Whether this process lives, and whether sources should be sent to it: what `/live`, `/ready` and health checks over
 * gRPC answer.
 *
 *     live    the event loop turns: the answer itself proves it
 *     ready   it listens, it is not draining, and no pipe would have to drop what comes: each has a backend that is
 *             ready, or room to hold data meanwhile
 */
import { HEALTH_PATHS } from './config/sections.js';
import type { HttpEndpoint, RouteAnswer } from './telemetry/index.js';

/** What is asked about; the topology is one. */
export interface HealthSubject {
  readonly servers: ReadonlyMap<string, { readonly boundAddress: string }>;
  readonly pipes: readonly { readonly name: string; readonly hasRoom: boolean }[];
}

export class Health {
  private readonly subject: HealthSubject;
  private isDraining = false;

  constructor(subject: HealthSubject) {
    this.subject = subject;
  }

  isReady(): boolean {
    return this.obstacle() === null;
  }

  /** Why it is not ready; null when it is. */
  obstacle(): string | null {
    if (this.isDraining) return 'draining';
    for (const [name, server] of this.subject.servers) {
      if (server.boundAddress === '') return `${name} does not listen yet`;
    }
    for (const pipe of this.subject.pipes) {
      if (!pipe.hasRoom) return `pipe ${pipe.name} has no backend that is ready, and no room to hold more`;
    }
    return null;
  }

  /** Not ready from now on: load balancers are to choose others before connections are closed. */
  beginDrain(): void {
    this.isDraining = true;
  }

  /** Adds `/live` and `/ready`. They tell no more than a line, for whoever reaches the port may ask. */
  serve(endpoint: HttpEndpoint): void {
    endpoint.route(HEALTH_PATHS.live, () => answer(200, 'live'));
    endpoint.route(HEALTH_PATHS.ready, () => {
      const obstacle = this.obstacle();
      return obstacle === null ? answer(200, 'ready') : answer(503, `not ready: ${obstacle}`);
    });
  }
}

function answer(status: number, text: string): RouteAnswer {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}
