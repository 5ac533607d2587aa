import { connect } from 'node:net';

/**
 * Whether `path` is a unix socket that nobody listens on any more: what a killed process leaves behind, and what would
 * keep its successor from listening. False for everything else, a missing file included.
 */
export function isDeadSocket(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED');
    });
  });
}
