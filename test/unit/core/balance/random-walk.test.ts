/** Whatever happens in whatever order, the channel keeps its books and comes back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Random } from '../../../../src/base/index.js';
import { createSeededRandom } from '../../../../src/base/index.js';
import type { Endpoint } from '../../../../src/core/balance/endpoint.js';
import { OUTCOME } from '../../../../src/core/channel.js';
import type { Lease, Outcome } from '../../../../src/core/channel.js';
import type { Status } from '../../../../src/net/grpc/contract.js';
import { status } from './fake-oap.js';
import type { FakeCall, FakeOap } from './fake-oap.js';
import { Rig } from './rig.js';

const SEEDS = 20;
const STEPS = 400;
const OAPS = 5;

class Held {
  readonly lease: Lease;
  readonly isRelay: boolean;
  readonly bytes: number;
  call: FakeCall | null = null;

  constructor(lease: Lease, isRelay: boolean, bytes: number) {
    this.lease = lease;
    this.isRelay = isRelay;
    this.bytes = bytes;
  }
}

class Walk {
  readonly rig: Rig;
  readonly oaps: readonly FakeOap[];
  readonly held = new Set<Held>();
  private readonly random: Random;

  constructor(seed: number) {
    this.random = createSeededRandom(seed);
    this.rig = new Rig(seed, {
      connectionsPerEndpoint: 1 + (seed % 2),
      maxConnectionAgeMs: seed % 3 === 0 ? 3_000 : 0,
    });
    this.oaps = this.rig.join(OAPS, { hangs: true, maxConcurrentStreams: 4 });
  }

  step(): void {
    const { rig } = this;
    const oap = this.anyOf(this.oaps)!;
    const connection = this.anyOf(oap.openConnections);
    const held = this.anyOf([...this.held]);
    switch (Math.floor(this.random() * 14)) {
      case 0:
      case 1:
      case 2:
      case 3:
        this.lease();
        break;
      case 4:
        if (held !== undefined) this.end(held, status(0), OUTCOME.ok);
        break;
      case 5:
        if (held !== undefined) this.end(held, status(0), OUTCOME.ok);
        break;
      case 6:
        if (held !== undefined) this.end(held, status(14), OUTCOME.endpointFailed);
        break;
      case 7:
        if (held !== undefined) this.end(held, status(1, true), OUTCOME.neutral);
        break;
      case 8:
        connection?.break();
        break;
      case 9:
        if (connection?.isReady === true) connection.goAway();
        break;
      case 10:
        oap.behaviour.isDown = !oap.behaviour.isDown;
        break;
      case 11:
        oap.behaviour.maxConcurrentStreams = this.anyOf([0, 1, 2, 4, 100, Infinity])!;
        connection?.afterCall();
        break;
      case 12:
        rig.report(this.oaps.filter(() => this.random() < 0.7).map((item) => item.label));
        break;
      default:
        rig.clock.advance(this.random() * this.random() * 2_000);
    }
    this.check();
  }

  /** Everything is well again and every lease settled. */
  recover(): void {
    for (const oap of this.oaps) Object.assign(oap.behaviour, { isDown: false, maxConcurrentStreams: 4 });
    for (const held of [...this.held]) this.end(held, status(0), OUTCOME.ok);
    this.rig.report(this.oaps.map((oap) => oap.label));
    for (let round = 0; round < 60; round++) {
      this.rig.clock.advance(1_000);
      // Probes take back what was ejected.
      for (let count = 0; count < OAPS; count++) {
        this.lease();
        for (const held of [...this.held]) this.end(held, status(0), OUTCOME.ok);
      }
    }
  }

  check(): void {
    for (const endpoint of this.endpoints()) {
      const mine = [...this.held].filter((held) => held.lease.endpoint === endpoint && !held.isRelay);
      const bytes = mine.reduce((sum, held) => sum + held.bytes, 0);
      assert.equal(endpoint.load.inFlightBytes, bytes);
      assert.equal(endpoint.load.inFlightBatches, mine.length);
      assert.equal(endpoint.load.oldestBatch === null, mine.length === 0);
    }
    for (const oap of this.oaps) {
      // Eight at most, besides those that finish their calls or are being replaced.
      const taking = oap.openConnections.filter((connection) => connection.isReady).length;
      assert.ok(taking <= 9, `${taking} connections to ${oap.label}`);
    }
  }

  endpoints(): readonly Endpoint[] {
    return this.rig.channel.endpoints() as readonly Endpoint[];
  }

  private lease(): void {
    const isRelay = this.random() < 0.1;
    const bytes = isRelay ? 0 : 1 + Math.floor(this.random() * 1e6);
    const { channel } = this.rig;
    const known = channel.endpoints();
    const excluded = this.random() < 0.2 ? new Set(known.slice(0, 2).map((endpoint) => endpoint.id)) : null;
    const given = isRelay ? channel.leaseForRelay() : channel.lease(bytes, 10, excluded);
    if (given === null) return;
    assert.ok(known.includes(given.endpoint), 'leased from an endpoint that left');
    if (!isRelay) assert.equal(excluded?.has(given.endpoint.id) ?? false, false);
    const held = new Held(given, isRelay, bytes);
    this.held.add(held);
    if (this.random() < 0.1) return;
    const handler = {
      onMessage: () => undefined,
      onStatus: (_call: unknown, result: Status) => {
        if (!this.held.delete(held)) return;
        const failed = result.isLocal && result.code === 14;
        given.settle(failed ? OUTCOME.endpointFailed : this.outcomeOf(result), result);
      },
    };
    held.call = given.openCall('/test', handler, {}) as FakeCall | null;
    assert.notEqual(held.call, null, 'a lease had no slot');
  }

  private outcomeOf(result: Status): Outcome {
    if (result.code === 0) return OUTCOME.ok;
    return result.isLocal ? OUTCOME.neutral : OUTCOME.endpointFailed;
  }

  private end(held: Held, result: Status, outcome: Outcome): void {
    if (held.call !== null) {
      held.call.end(result);
      return;
    }
    this.held.delete(held);
    held.lease.settle(outcome, null);
  }

  private anyOf<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.random() * items.length)];
  }
}

describe('channel: random walks', () => {
  it(`keep the books and end with every endpoint in use (${SEEDS} seeds of ${STEPS} steps)`, () => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const walk = new Walk(seed);
      for (let step = 0; step < STEPS; step++) walk.step();
      walk.recover();
      const { rig } = walk;
      assert.ok(
        walk.endpoints().every((endpoint) => endpoint.isReady && endpoint.load.inFlightBytes === 0),
        `seed ${seed}`,
      );
      assert.equal(walk.endpoints().length, OAPS);
      rig.channel.close();
      assert.equal(rig.clock.pendingTimers, 0, `seed ${seed} leaves timers`);
      assert.ok(walk.oaps.every((oap) => oap.openConnections.length === 0));
      for (const oap of walk.oaps) assert.equal(rig.metrics.seriesWith({ endpoint: oap.label }), 0);
    }
  });
});
