/** What can go wrong with an OAP, or on the way to it, for a while; the soak chooses among them. */
import {
  ROGUES,
  startFaultyNetwork,
  startRogueOap,
  type FaultyNetwork,
  type OapOptions,
  type RogueKind,
  type RogueOap,
} from '../../../../src/lab/index.js';
import { MortalOap } from '../../../support/mortal-oap.js';

const RESOURCE_EXHAUSTED = 8;
/** Of a network that crawls: a batch of 1 MiB takes 10 s. */
const CRAWL_BYTES_PER_SECOND = 100_000;

/** An OAP behind a network, or a rogue in its place. */
export class Place {
  readonly oap: MortalOap;
  readonly network: FaultyNetwork;
  /** Of new connections. */
  private readonly target: { port: number };
  private rogue: RogueOap | null = null;

  private constructor(oap: MortalOap, network: FaultyNetwork, target: { port: number }) {
    this.oap = oap;
    this.network = network;
    this.target = target;
  }

  static async start(): Promise<Place> {
    const oap = new MortalOap();
    await oap.start();
    const target = { port: oap.port };
    return new Place(oap, await startFaultyNetwork(target), target);
  }

  /** A rogue takes over from the OAP, or gives back to it. */
  async replace(rogue: RogueOap | null): Promise<void> {
    const before = this.rogue;
    this.rogue = rogue;
    this.target.port = (rogue ?? this.oap).port;
    this.network.resetAll();
    await before?.close();
  }

  async end(): Promise<void> {
    await this.replace(null);
    await this.network.close();
    await this.oap.end();
  }
}

export interface Trouble {
  readonly name: string;
  begin(place: Place): Promise<void> | void;
  /** All is as before. */
  end(place: Place): Promise<void> | void;
}

export const TROUBLES: readonly Trouble[] = [
  { name: 'killed', begin: ({ oap }) => oap.signal('SIGKILL'), end: ({ oap }) => oap.start() },
  { name: 'stopped', begin: ({ oap }) => oap.signal('SIGSTOP'), end: ({ oap }) => oap.signal('SIGCONT') },
  behaves('stalls', { stall: true }, { stall: false }),
  behaves('never answers', { neverAnswer: true }, { neverAnswer: false }),
  behaves('is slow', { delayMs: 50, jitterMs: 50, slowFactor: 5 }, { delayMs: 0, jitterMs: 0, slowFactor: 1 }),
  behaves('refuses calls', { failRatio: 1, failAt: 'start', failStatus: RESOURCE_EXHAUSTED }, { failRatio: 0 }),
  behaves('refuses batches', { failRatio: 1, failAt: 'end', failStatus: RESOURCE_EXHAUSTED }, { failRatio: 0 }),
  behaves('refuses the token', { token: 'another' }, { token: '' }),
  { name: 'reset', begin: ({ network }) => network.resetAll(), end: ({ network }) => network.resetAll() },
  { name: 'half-open', begin: ({ network }) => network.forgetAll(), end: () => undefined },
  { name: 'cut off', begin: ({ network }) => network.freeze(true), end: ({ network }) => network.freeze(false) },
  { name: 'hangs up', begin: hangUp, end: ({ network }) => network.refuse(false) },
  {
    name: 'crawls',
    begin: ({ network }) => network.setSpeed(CRAWL_BYTES_PER_SECOND),
    end: ({ network }) => network.setSpeed(Infinity),
  },
  ...ROGUES.map(breaksProtocol),
];

function behaves(name: string, during: Partial<OapOptions>, after: Partial<OapOptions>): Trouble {
  return { name, begin: ({ oap }) => oap.set(during), end: ({ oap }) => oap.set(after) };
}

function hangUp({ network }: Place): void {
  network.refuse(true);
  network.resetAll();
}

function breaksProtocol(kind: RogueKind): Trouble {
  return {
    name: `breaks the protocol (${kind})`,
    begin: async (place) => place.replace(await startRogueOap(kind)),
    end: (place) => place.replace(null),
  };
}
