import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OUTCOME } from '../../../../src/core/channel.js';
import type { Lease } from '../../../../src/core/channel.js';
import { ENDPOINT_STATE } from '../../../../src/core/balance/index.js';
import { status } from './fake-oap.js';
import type { FakeCall, FakeOap } from './fake-oap.js';
import { BatchSender, Fleet, Rig } from './rig.js';

const BYTES = 100_000;
const UNAVAILABLE = status(14);
const FLEET = { sources: 50, zipf: 1.2, entriesPerSecond: 10_000, entryBytes: 1_000 };
/** Longest reconnect back-off with its jitter, and the connect itself. */
const BACKOFF_BOUND_MS = 5_000 * 1.2 + 10;

function lease(rig: Rig, excluded: ReadonlySet<number> | null = null): Lease {
  const given = rig.channel.lease(BYTES, 100, excluded);
  assert.notEqual(given, null);
  return given!;
}

/** Every endpoint has answered so many batches that a slow start is over. */
function warm(rig: Rig): void {
  for (const endpoint of rig.channel.endpoints()) {
    const others = new Set(rig.channel.endpoints().map(({ id }) => id));
    others.delete(endpoint.id);
    for (let count = 0; count < 100; count++) lease(rig, others).settle(OUTCOME.ok, status(0));
  }
}

function fail(rig: Rig, times: number): void {
  for (let count = 0; count < times; count++) lease(rig).settle(OUTCOME.endpointFailed, UNAVAILABLE);
}

function open(given: Lease): FakeCall {
  const handler = { onMessage: () => undefined, onStatus: () => undefined };
  return given.openCall('/test', handler, {}) as unknown as FakeCall;
}

function stateOf(rig: Rig, oap: FakeOap): number | undefined {
  return rig.metrics.read('satellite_endpoint_state', { endpoint: oap.label });
}

describe('channel: leases', () => {
  it('refuses while nothing is connected, and wakes the refused when something is', () => {
    const rig = new Rig(1);
    let woken = 0;
    rig.channel.subscribe(() => woken++);
    assert.equal(rig.channel.lease(BYTES, 1, null), null);
    rig.join(1);
    assert.equal(woken, 1);
    assert.notEqual(rig.channel.lease(BYTES, 1, null), null);
  });

  it('wakes nobody who was not refused, and nobody after unsubscribing', () => {
    const rig = new Rig(1);
    let woken = 0;
    const unsubscribe = rig.channel.subscribe(() => woken++);
    rig.join(1);
    assert.equal(woken, 0);
    unsubscribe();
    rig.report([]);
    assert.equal(rig.channel.lease(BYTES, 1, null), null);
    rig.join(1);
    assert.equal(woken, 0);
  });

  it('keeps to the exclusions', () => {
    const rig = new Rig(1);
    rig.join(3);
    warm(rig);
    const [one, two, three] = rig.channel.endpoints();
    const excluded = new Set([one!.id, two!.id]);
    for (let count = 0; count < 5; count++) assert.equal(lease(rig, excluded).endpoint, three);
    excluded.add(three!.id);
    assert.equal(rig.channel.lease(BYTES, 1, excluded), null);
  });

  it('adds its metadata to every call, once, also to those of relays', () => {
    const metadata = ['authentication', 'token'];
    const rig = new Rig(1, { metadata });
    rig.join(1);
    warm(rig);
    const handler = { onMessage: () => undefined, onStatus: () => undefined };
    const optionsOf = (options: object): unknown =>
      (lease(rig).openCall('/test', handler, options) as unknown as FakeCall).options.metadata;
    assert.deepEqual(optionsOf({}), metadata);
    assert.deepEqual(optionsOf({ metadata: rig.channel.metadata }), metadata);
    assert.deepEqual(optionsOf({ metadata: ['x', 'y'] }), [...metadata, 'x', 'y']);
    const relay = rig.channel.leaseForRelay()!.openCall('/test', handler, {}) as unknown as FakeCall;
    assert.deepEqual(relay.options.metadata, metadata);
  });

  it('takes a second settlement for a bug', () => {
    const rig = new Rig(1);
    rig.join(1);
    const given = lease(rig);
    given.settle(OUTCOME.ok, status(0));
    assert.throws(() => {
      given.settle(OUTCOME.ok, status(0));
    }, /settled twice/);
  });

  it('gives the slot of a lease that was settled without a call to the next', () => {
    const rig = new Rig(1);
    rig.join(1, { maxConcurrentStreams: 1 });
    for (let count = 0; count < 20; count++) lease(rig).settle(OUTCOME.neutral, null);
    assert.equal(rig.metrics.read('satellite_endpoint_in_flight_bytes', { endpoint: '10.0.0.1:11800' }), 0);
  });
});

describe('channel: slow start', () => {
  /** Batches that the only endpoint takes now. */
  function fill(rig: Rig): Lease[] {
    const leases: Lease[] = [];
    for (let given = rig.channel.lease(BYTES, 1, null); given !== null; given = rig.channel.lease(BYTES, 1, null)) {
      leases.push(given);
      if (leases.length > 100) break;
    }
    return leases;
  }

  it('gives a newcomer one batch, and one more at once with each that it answers', () => {
    const rig = new Rig(1);
    rig.join(1);
    for (const expected of [1, 2, 4, 8]) {
      const leases = fill(rig);
      assert.equal(leases.length, expected);
      for (const given of leases) given.settle(OUTCOME.ok, status(0));
    }
    for (const given of fill(rig)) given.settle(OUTCOME.neutral, null);
    assert.equal(fill(rig).length, 16, 'what is no OK tells nothing');
  });

  it('starts again with a new connection, whatever is out on the old one, and with a return from ejection', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1);
    rig.clock.advance(60_000);
    warm(rig);
    const old = Array.from({ length: 5 }, () => open(lease(rig)));
    oap!.connections[0]!.goAway();
    rig.clock.advance(10);
    assert.equal(fill(rig).length, 1);
    for (const call of old) call.end(status(0));

    const ejected = new Rig(1);
    ejected.join(1);
    warm(ejected);
    fail(ejected, 3);
    ejected.clock.advance(2000);
    lease(ejected).settle(OUTCOME.ok, status(0));
    assert.equal(fill(ejected).length, 1);
  });
});

describe('channel: connections', () => {
  it('opens more where the peer allows 4 calls on one, at most 8, and keeps one slot for relays', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1, { maxConcurrentStreams: 4, hangs: true });
    warm(rig);
    const leases: Lease[] = [];
    // More than 4 batches at a silent OAP is what the slow mark prevents; in one instant nothing is slow yet.
    for (let round = 0; round < 100; round++) {
      const given = rig.channel.lease(BYTES, 1, null);
      if (given !== null) {
        open(given);
        leases.push(given);
      }
      rig.clock.advance(1);
    }
    assert.equal(oap!.openConnections.length, 8);
    assert.equal(leases.length, 8 * 4 - 1);
    const relay = rig.channel.leaseForRelay();
    assert.notEqual(relay, null);
    open(relay!);
    assert.equal(rig.channel.leaseForRelay(), null);
  });

  it('opens no second connection where one is enough', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1, { hangs: true });
    warm(rig);
    for (let count = 0; count < 100; count++) open(lease(rig));
    rig.clock.advance(100);
    assert.equal(oap!.dials, 1);
  });

  it('opens no second connection to a peer that allows no calls, and uses it once it does', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1, { maxConcurrentStreams: 0 });
    assert.equal(rig.channel.lease(BYTES, 1, null), null);
    rig.clock.advance(60_000);
    assert.equal(oap!.dials, 1);
    oap!.behaviour.maxConcurrentStreams = 10;
    oap!.connections[0]!.afterCall();
    assert.notEqual(rig.channel.lease(BYTES, 1, null), null);
  });

  it('lets batches have the only call that a peer allows in all', () => {
    const rig = new Rig(1);
    rig.join(1, { maxConcurrentStreams: 1 });
    assert.notEqual(rig.channel.lease(BYTES, 1, null), null);
  });

  it('keeps connections_per_endpoint connections and spreads calls over them', () => {
    const rig = new Rig(1, { connectionsPerEndpoint: 3 });
    const [oap] = rig.join(1, { hangs: true });
    warm(rig);
    assert.equal(oap!.openConnections.length, 3);
    for (let count = 0; count < 9; count++) open(lease(rig));
    assert.deepEqual(
      oap!.openConnections.map((connection) => connection.openStreams),
      [3, 3, 3],
    );
    oap!.openConnections[1]!.break();
    rig.clock.advance(1_000);
    assert.equal(oap!.openConnections.length, 3);
  });

  it('connects again at once after a GOAWAY, and lets open calls finish', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1);
    rig.clock.advance(60_000);
    const given = lease(rig);
    const call = open(given);
    oap!.connections[0]!.goAway();
    assert.equal(oap!.dials, 2);
    rig.clock.advance(5);
    assert.notEqual(rig.channel.lease(BYTES, 1, null), null);
    assert.equal(call.isEnded, false);
    call.end(status(0));
    assert.equal(oap!.openConnections.length, 1);
  });

  it('does not run in circles with a peer that says GOAWAY to each new connection', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1);
    for (let count = 0; count < 600; count++) {
      for (const connection of oap!.openConnections) if (connection.isReady) connection.goAway();
      rig.clock.advance(100);
    }
    // A minute of back-off that grows to 5 s.
    assert.ok(oap!.dials < 25, `${oap!.dials} dials`);
    // Nothing broke, but nothing can be sent either: the reason is told.
    assert.ok(rig.log.messages('warn').some((text) => text.includes(`connection to ${oap!.label} lost: GOAWAY`)));
  });

  it('waits longer and longer for one that is down, up to its bound, and starts small after a success', () => {
    const rig = new Rig(1);
    const oap = rig.network.add('10.0.0.1:11800', { isDown: true });
    rig.report([oap.label]);
    rig.clock.advance(60_000);
    const gaps = oap.dialTimes.slice(1).map((time, index) => time - oap.dialTimes[index]!);
    assert.ok(gaps[0]! < 250);
    assert.ok(Math.max(...gaps) <= BACKOFF_BOUND_MS);
    assert.ok(gaps.at(-1)! >= 5_000 * 0.8);
    assert.equal(stateOf(rig, oap), ENDPOINT_STATE.backoff);
    oap.behaviour.isDown = false;
    rig.clock.advance(BACKOFF_BOUND_MS);
    assert.equal(stateOf(rig, oap), ENDPOINT_STATE.ready);
    rig.clock.advance(10_000);
    const dials = oap.dials;
    oap.connections.at(-1)!.break();
    rig.clock.advance(300);
    assert.equal(oap.dials, dials + 1);
    assert.equal(stateOf(rig, oap), ENDPOINT_STATE.ready);
  });

  it('replaces an old connection only when a younger one is ready', () => {
    const rig = new Rig(1, { maxConnectionAgeMs: 60_000 });
    const [oap] = rig.join(1);
    rig.clock.advance(50_000);
    assert.equal(oap!.dials, 1);
    oap!.behaviour.isDown = true;
    rig.clock.advance(30_000);
    assert.equal(stateOf(rig, oap!), ENDPOINT_STATE.ready);
    assert.equal(oap!.openConnections.length, 1);
    oap!.behaviour.isDown = false;
    rig.clock.advance(BACKOFF_BOUND_MS);
    assert.equal(oap!.openConnections.length, 1);
    assert.notEqual(oap!.openConnections[0], oap!.connections[0]);
  });

  it('replaces a connection on which nothing moved when a call was given up', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1, { hangs: true });
    const given = lease(rig);
    const call = open(given);
    rig.clock.advance(10_000);
    call.cancel();
    given.settle(OUTCOME.endpointFailed, status(1, true));
    assert.equal(oap!.dials, 2);
    rig.clock.advance(10);
    assert.equal(oap!.openConnections.length, 1);
    assert.notEqual(oap!.openConnections[0], oap!.connections[0]);
  });

  it('replaces a connection on which calls are given up one after the other, each of them soon', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1, { hangs: true });
    const giveUpAfter = (waitMs: number): void => {
      const given = lease(rig);
      const call = open(given);
      rig.clock.advance(waitMs);
      call.cancel();
      given.settle(OUTCOME.endpointFailed, status(1, true));
    };
    for (let second = 0; second < 4; second++) giveUpAfter(1_000);
    assert.equal(oap!.dials, 1);
    giveUpAfter(1_000);
    assert.equal(oap!.dials, 2);
  });

  it('keeps a connection that answers calls while others on it are given up', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1);
    warm(rig);
    const slow = lease(rig);
    open(slow);
    for (let second = 0; second < 10; second++) {
      rig.clock.advance(1_000);
      lease(rig).settle(OUTCOME.ok, status(0));
    }
    slow.settle(OUTCOME.endpointFailed, status(1, true));
    assert.equal(oap!.dials, 1);
  });
});

describe('channel: trouble', () => {
  it('ejects a refusing endpoint and sends it one probe at a time', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(2);
    const [bad, good] = rig.channel.endpoints();
    const excluded = new Set([good!.id]);
    for (let count = 0; count < 3; count++) lease(rig, excluded).settle(OUTCOME.endpointFailed, UNAVAILABLE);
    assert.equal(bad!.isReady, false);
    assert.equal(stateOf(rig, oap!), ENDPOINT_STATE.ejected);
    const expectGood = (): void => {
      const given = lease(rig);
      assert.equal(given.endpoint, good);
      given.settle(OUTCOME.ok, status(0));
    };
    for (let count = 0; count < 10; count++) expectGood();
    rig.clock.advance(1_200);
    const probe = lease(rig);
    assert.equal(probe.endpoint, bad);
    for (let count = 0; count < 10; count++) expectGood();
    probe.settle(OUTCOME.ok, status(0));
    assert.equal(bad!.isReady, true);
    assert.equal(rig.metrics.read('satellite_endpoint_probes_total', { endpoint: bad!.address }), 1);
    assert.equal(rig.metrics.read('satellite_endpoint_ejections_total', { endpoint: bad!.address }), 1);
  });

  it('wakes a refused sender when the ejection ends', () => {
    const rig = new Rig(1);
    rig.join(1);
    fail(rig, 3);
    let woken = 0;
    rig.channel.subscribe(() => woken++);
    const probe = lease(rig);
    probe.settle(OUTCOME.endpointFailed, UNAVAILABLE);
    assert.equal(rig.channel.lease(BYTES, 1, null), null);
    rig.clock.advance(249);
    assert.equal(woken, 0);
    rig.clock.advance(1);
    assert.equal(woken, 1);
    assert.notEqual(rig.channel.lease(BYTES, 1, null), null);
  });

  it('probes the one ejected longest ago when all are, a few times a second in all', () => {
    const rig = new Rig(1);
    rig.join(3);
    const ids = rig.channel.endpoints().map((endpoint) => endpoint.id);
    for (const id of ids) {
      const others = new Set(ids.filter((other) => other !== id));
      for (let count = 0; count < 3; count++) lease(rig, others).settle(OUTCOME.endpointFailed, UNAVAILABLE);
      rig.clock.advance(1);
    }
    const probed: number[] = [];
    for (let count = 0; count < 90; count++) {
      const given = rig.channel.lease(BYTES, 1, null);
      if (given !== null) {
        probed.push(given.endpoint.id);
        given.settle(OUTCOME.endpointFailed, UNAVAILABLE);
      }
      rig.clock.advance(10);
    }
    assert.deepEqual(probed.slice(0, 4), [...ids, ids[0]]);
    assert.equal(probed.length, 4);
  });

  it('does not hurry a probe while another endpoint merely has no slot', () => {
    const rig = new Rig(1);
    rig.join(2, { hangs: true });
    const [bad, good] = rig.channel.endpoints();
    for (let count = 0; count < 3; count++) {
      lease(rig, new Set([good!.id])).settle(OUTCOME.endpointFailed, UNAVAILABLE);
    }
    rig.network.oaps.get(good!.address)!.behaviour.maxConcurrentStreams = 0;
    assert.equal(rig.channel.lease(BYTES, 1, null), null);
    assert.equal(bad!.isReady, false);
  });

  it('gives a single OAP that falls silent four batches and no more', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1, { hangs: true });
    for (let count = 0; count < 50; count++) {
      const given = rig.channel.lease(BYTES, 1, null);
      if (given !== null) open(given);
      rig.clock.advance(100);
    }
    assert.ok(oap!.connections[0]!.openStreams <= 4);
  });

  it('keeps relays away from troubled endpoints, unless there is no other', () => {
    const rig = new Rig(1);
    rig.join(2);
    const [bad, good] = rig.channel.endpoints();
    for (let count = 0; count < 3; count++) {
      lease(rig, new Set([good!.id])).settle(OUTCOME.endpointFailed, UNAVAILABLE);
    }
    for (let count = 0; count < 5; count++) assert.equal(rig.channel.leaseForRelay()!.endpoint, good);
    rig.report([bad!.address]);
    assert.equal(rig.channel.leaseForRelay()!.endpoint, bad);
  });

  it('sends nothing new to an endpoint that left, lets its calls finish, and forgets its series', () => {
    const rig = new Rig(1);
    const [first, second] = rig.join(2);
    warm(rig);
    const other = rig.channel.endpoints()[1]!;
    const given = lease(rig, new Set([other.id]));
    const call = open(given);
    rig.report([second!.label]);
    assert.equal(rig.metrics.seriesWith({ endpoint: first!.label }), 0);
    for (let count = 0; count < 20; count++) assert.equal(lease(rig).endpoint.address, second!.label);
    assert.equal(call.isEnded, false);
    call.end(status(0));
    given.settle(OUTCOME.ok, status(0));
    assert.equal(first!.openConnections.length, 0);
    assert.equal(rig.metrics.seriesWith({ endpoint: first!.label }), 0);
  });

  it('forgets endpoints that left, also those it never reached', () => {
    const rig = new Rig(1);
    const { departed } = rig.channel as unknown as { readonly departed: ReadonlySet<unknown> };
    rig.network.add('10.0.0.8:11800', { isDown: true });
    rig.network.add('10.0.0.9:11800');
    for (let count = 0; count < 10; count++) {
      rig.report(['10.0.0.8:11800', '10.0.0.9:11800']);
      rig.clock.advance(count * 100);
      rig.report([]);
    }
    assert.equal(departed.size, 0);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it('does not take a large batch for slow because most are small', () => {
    const rig = new Rig(1);
    rig.join(1);
    for (let count = 0; count < 200; count++) {
      const small = rig.channel.lease(1_000, 1, null)!;
      rig.clock.advance(2);
      small.settle(OUTCOME.ok, status(0));
    }
    for (let count = 0; count < 8; count++) rig.channel.lease(4e6, 1, null);
    rig.clock.advance(500);
    assert.notEqual(rig.channel.lease(1_000, 1, null), null);
  });

  it('starts anew with one that left and came back, under a new id', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(1);
    const before = rig.channel.endpoints()[0]!.id;
    const given = lease(rig);
    const call = open(given);
    rig.report([]);
    rig.report([oap!.label]);
    rig.clock.advance(10);
    assert.notEqual(rig.channel.endpoints()[0]!.id, before);
    const series = rig.metrics.seriesWith({ endpoint: oap!.label });
    assert.ok(series > 0);
    call.end(status(0));
    given.settle(OUTCOME.ok, status(0));
    assert.equal(rig.metrics.seriesWith({ endpoint: oap!.label }), series);
  });

  it('takes back all OAPs within the back-off bound after all were down, without a storm', () => {
    const rig = new Rig(1);
    const oaps = rig.join(4);
    const sender = new BatchSender(rig);
    const fleet = new Fleet(rig, sender, FLEET);
    fleet.run(10_000);
    const callsBefore = oaps.map((oap) => oap.calls);
    for (const oap of oaps) oap.kill();
    const dials = oaps.map((oap) => oap.dials);
    fleet.run(30_000);
    oaps.forEach((oap, index) => {
      assert.ok(oap.dials - dials[index]! <= 15, `${oap.dials - dials[index]!} dials in 30 s`);
      assert.equal(oap.calls, callsBefore[index]);
      oap.behaviour.isDown = false;
    });
    const backMs = rig.clock.now();
    fleet.run(BACKOFF_BOUND_MS + 1_000);
    assert.ok(rig.channel.endpoints().every((endpoint) => endpoint.isReady));
    assert.equal(sender.waiting.length, 0);
    const first = sender.deliveries.find((item) => item.isOk && item.startedMs >= backMs)!;
    assert.ok(first.startedMs - backMs <= BACKOFF_BOUND_MS);
    assert.ok(oaps.every((oap) => oap.openConnections.length === 1));
  });

  it('keeps a sender of four batches going while one OAP is silent', () => {
    const rig = new Rig(1);
    const oaps = rig.join(4);
    const sender = new BatchSender(rig, 4);
    const fleet = new Fleet(rig, sender, FLEET);
    fleet.run(5_000);
    oaps[0]!.behaviour.hangs = true;
    fleet.run(8_000);
    assert.ok(sender.waiting.length <= 2, `${sender.waiting.length} wait`);
  });

  it('closes: connections go, timers stop, the resolver is closed', () => {
    const rig = new Rig(1);
    const oaps = rig.join(3);
    oaps[0]!.kill();
    open(lease(rig));
    rig.channel.close();
    assert.ok(oaps.every((oap) => oap.openConnections.length === 0));
    assert.equal(rig.resolver.isClosed, true);
    assert.equal(rig.clock.pendingTimers, 0);
    assert.deepEqual(rig.channel.endpoints(), []);
  });
});

describe('channel: what it tells', () => {
  it('has per-endpoint series for share, load, outcomes and time', () => {
    const rig = new Rig(1);
    const [oap] = rig.join(2);
    const labels = { endpoint: oap!.label };
    const other = rig.channel.endpoints()[1]!;
    const given = lease(rig, new Set([other.id]));
    assert.equal(rig.metrics.read('satellite_endpoint_in_flight_bytes', labels), BYTES);
    assert.equal(rig.metrics.read('satellite_endpoint_in_flight_batches', labels), 1);
    assert.equal(rig.metrics.read('satellite_endpoint_share_ratio', labels), 1);
    rig.clock.advance(20);
    given.settle(OUTCOME.ok, status(0));
    assert.equal(rig.metrics.read('satellite_endpoint_bytes_total', labels), BYTES);
    assert.equal(rig.metrics.read('satellite_endpoint_entries_total', labels), 100);
    assert.deepEqual(rig.metrics.observations('satellite_endpoint_call_seconds', labels), [0.02]);
    assert.equal(rig.metrics.read('satellite_endpoint_batches_total', { ...labels, outcome: 'ok' }), 1);
    assert.ok(rig.metrics.read('satellite_endpoint_seconds_per_megabyte', labels)! > 0.1);
    assert.equal(rig.metrics.read('satellite_endpoint_connections', labels), 1);
  });

  it('says under one key that an endpoint cannot be reached, and that it was', () => {
    const rig = new Rig(1);
    const oap = rig.network.add('10.0.0.1:11800', { isDown: true });
    rig.report([oap.label]);
    rig.clock.advance(30_000);
    assert.deepEqual(
      new Set(rig.log.messages('warn')),
      new Set(['cannot connect to 10.0.0.1:11800: connection refused']),
    );
    assert.deepEqual(new Set(rig.log.lines.map((line) => line.key)), new Set(['endpoint-connection 10.0.0.1:11800']));
    oap.behaviour.isDown = false;
    rig.clock.advance(BACKOFF_BOUND_MS);
    assert.equal(rig.log.lines.at(-1)!.message, 'connected to 10.0.0.1:11800');
  });

  it('verifies certificates against the configured name and calls it by that name', () => {
    const rig = new Rig(1);
    const oap = rig.network.add('10.0.0.1:11800');
    rig.channel.start(rig.resolver, { ca: 'pem' });
    const found = { address: { kind: 'tcp', host: '10.0.0.1', port: 11_800 }, label: oap.label } as const;
    rig.resolver.reportResolved([{ ...found, authority: 'oap.prod:11800', serverName: 'oap.prod' }]);
    assert.equal(oap.dialled!.authority, 'oap.prod:11800');
    assert.deepEqual(oap.dialled!.tls, { ca: 'pem', serverName: 'oap.prod' });
  });
});
