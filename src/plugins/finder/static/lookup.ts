import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';

/** All IP addresses of a host name. Rejects when there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Asks as every program of the machine does: hosts file, search domains and all. Only families the machine can reach. */
export const lookupAll: Lookup = async (host) => {
  const found = await lookup(host, { all: true, hints: ADDRCONFIG });
  return found.map((item) => item.address);
};
