/**
 * A process of its own for one fake OAP or one fleet, so that its CPU is its own. The parent (`remote.ts`) calls methods
 * by name over the channel of `fork`; when the channel closes, the process ends.
 */
import { startFleet, type Fleet, type FleetOptions } from '../fleet/index.js';
import { startFakeOap, type FakeOap, type OapOptions } from '../oap/index.js';
import type { WorkerAnswer, WorkerRequest } from './protocol.js';

let oap: FakeOap | null = null;
let fleet: Fleet | null = null;

/** What a parent may ask. */
const METHODS: Readonly<Record<string, (argument: unknown) => unknown>> = {
  'oap.start': async (options) => {
    oap = await startFakeOap(options as Partial<OapOptions>);
    return oap.port;
  },
  'oap.stats': () => theOap().stats(),
  'oap.books': () => theOap().books(),
  'oap.set': (changes) => {
    theOap().set(changes as Partial<OapOptions>);
  },
  'oap.resetLatency': () => {
    theOap().resetLatency();
  },
  'oap.kill': () => theOap().kill(),
  'oap.revive': () => theOap().revive(),
  'fleet.start': (options) => {
    fleet = startFleet(options as Partial<FleetOptions>);
  },
  'fleet.stats': () => theFleet().stats(),
  'fleet.entries': () => theFleet().entriesByEnvoy(),
  'fleet.setRate': (rate) => {
    theFleet().setRate(rate as number);
  },
  'fleet.reconnectAll': (overMs) => {
    theFleet().reconnectAll(overMs as number);
  },
  'fleet.stop': () => theFleet().stop(),
  'fleet.done': () => theFleet().done,
};

process.on('message', (request: WorkerRequest) => {
  void answer(request);
});
process.on('disconnect', () => {
  process.exit(0);
});
// Ctrl-C reaches the whole group: the parent decides when its workers end.
process.on('SIGINT', () => undefined);

async function answer(request: WorkerRequest): Promise<void> {
  const reply = (message: WorkerAnswer): void => {
    process.send?.(message);
  };
  try {
    const method = METHODS[request.method];
    if (method === undefined) throw new Error(`unknown method ${request.method}`);
    reply({ id: request.id, result: await method(request.argument) });
  } catch (error) {
    reply({ id: request.id, error: error instanceof Error ? error.message : String(error) });
  }
}

function theOap(): FakeOap {
  if (oap === null) throw new Error('no fake OAP has been started here');
  return oap;
}

function theFleet(): Fleet {
  if (fleet === null) throw new Error('no fleet has been started here');
  return fleet;
}
