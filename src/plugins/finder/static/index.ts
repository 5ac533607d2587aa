/**
 * Finder `static`: the backends are listed in the configuration, by address or by name.
 * Above: client plugins, through core/balance's FinderDefinition. Below: the system's name resolution.
 * Entry points: staticFinder.
 * Invariants: a name is asked for at most once per check_period; what was found once is kept until something else is found.
 * Spec: docs/config (grpc-client).
 */
import { z } from 'zod';
import { FINDER_OPTIONS } from '../../../core/balance/index.js';
import type { FinderDefinition } from '../../../core/balance/index.js';
import { lookupAll } from './lookup.js';
import { StaticResolver } from './static-resolver.js';

export const staticFinder: FinderDefinition = {
  kind: 'finder',
  name: 'static',
  title: 'Static finder',
  description:
    'Takes the backends from `server_addr`. Each host name is resolved to all its addresses, and again every ' +
    '`check_period`, so that a name which stands for a changing set of backends (a headless service of Kubernetes, for ' +
    'one) is followed. While a name cannot be resolved, the addresses found last are kept.',
  stability: 'stable',
  schema: z.object(FINDER_OPTIONS),
  create: (config, settings) => new StaticResolver(config, settings, lookupAll),
};
