import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedClock, TimerWheel } from '../../../../src/base/index.js';
import {
  ConnectionWatch,
  type WatchedConnection,
  type WatchSettings,
} from '../../../../src/net/socket/connection-watch.js';

const OFF: WatchSettings = {
  setupTimeoutMs: 0,
  keepaliveTimeMs: 0,
  keepaliveTimeoutMs: 0,
  pingsWithoutStreams: false,
  idleTimeoutMs: 0,
  ageGraceMs: 0,
};
const TICK_MS = 100;

class FakeConnection implements WatchedConnection {
  isSetUp = true;
  openStreams = 1;
  lastReadMs: number;
  answers: (() => void)[] = [];
  drains = 0;
  givenUp = '';

  constructor(nowMs: number) {
    this.lastReadMs = nowMs;
  }

  ping(onAnswer: () => void): void {
    this.answers.push(onAnswer);
  }

  quietEnds = 0;

  endQuietCalls(): void {
    this.quietEnds++;
  }

  drain(): void {
    this.drains++;
  }

  giveUp(reason: string): void {
    this.givenUp = reason;
  }
}

function watch(
  settings: Partial<WatchSettings>,
  prepare: (connection: FakeConnection) => void = () => undefined,
  maxAgeMs = Infinity,
) {
  const clock = new SimulatedClock(10_000);
  const wheel = new TimerWheel(clock, TICK_MS);
  const connection = new FakeConnection(clock.now());
  prepare(connection);
  const watched = new ConnectionWatch({ ...OFF, ...settings }, connection, clock, wheel, maxAgeMs);
  return { clock, wheel, connection, watched };
}

test('with everything off no timer runs', () => {
  assert.equal(watch({}).wheel.size, 0);
});

test('a peer that never says its preface is given up', () => {
  const { clock, connection, wheel } = watch({ setupTimeoutMs: 5000 }, (fake) => (fake.isSetUp = false));
  clock.advance(4900);
  assert.equal(connection.givenUp, '');
  clock.advance(200);
  assert.equal(connection.givenUp, 'not set up within 5000 ms');
  assert.equal(wheel.size, 0);
});

test('silence is answered by a ping, and an unanswered ping by giving up', () => {
  const { clock, connection } = watch({ keepaliveTimeMs: 1000, keepaliveTimeoutMs: 500 });
  clock.advance(1100);
  assert.equal(connection.answers.length, 1);
  clock.advance(600);
  assert.match(connection.givenUp, /no answer to a keepalive ping/);
});

test('an answer, or any other data, keeps the connection', () => {
  const { clock, connection } = watch({ keepaliveTimeMs: 1000, keepaliveTimeoutMs: 500 });
  clock.advance(1100);
  connection.lastReadMs = clock.now();
  connection.answers[0]!();
  clock.advance(600);
  assert.equal(connection.givenUp, '');
  clock.advance(600);
  assert.equal(connection.answers.length, 2);
  connection.lastReadMs = clock.now() + 1;
  clock.advance(600);
  assert.equal(connection.givenUp, '');
});

test('data received makes pings unnecessary', () => {
  const { clock, connection } = watch({ keepaliveTimeMs: 1000, keepaliveTimeoutMs: 500 });
  for (let second = 0; second < 10; second++) {
    clock.advance(900);
    connection.lastReadMs = clock.now();
  }
  assert.equal(connection.answers.length, 0);
});

test('without open streams a client does not ping', () => {
  const { clock, connection } = watch(
    { keepaliveTimeMs: 1000, keepaliveTimeoutMs: 500 },
    (fake) => (fake.openStreams = 0),
  );
  clock.advance(5000);
  assert.equal(connection.answers.length, 0);
  connection.openStreams = 1;
  clock.advance(1100);
  assert.equal(connection.answers.length, 1);
});

test('an idle connection is drained, never one with an open stream', () => {
  const { clock, connection } = watch({ idleTimeoutMs: 2000 });
  clock.advance(20_000);
  assert.equal(connection.drains, 0);
  connection.openStreams = 0;
  connection.lastReadMs = clock.now();
  clock.advance(1900);
  assert.equal(connection.drains, 0);
  clock.advance(2300);
  assert.equal(connection.drains, 1);
});

test('an idle peer that does not answer the GOAWAY either is given up', () => {
  const { clock, connection } = watch({ idleTimeoutMs: 2000, keepaliveTimeoutMs: 500 }, (fake) => {
    fake.openStreams = 0;
  });
  clock.advance(2100);
  assert.equal(connection.drains, 1);
  assert.equal(connection.givenUp, '');
  clock.advance(600);
  assert.match(connection.givenUp, /did not leave/);
});

test('an old connection leaves in steps: GOAWAY, quiet calls ended, and at last cut off', () => {
  const { clock, connection, wheel } = watch({ ageGraceMs: 5000 }, undefined, 10_000);
  clock.advance(9900);
  assert.equal(connection.drains, 0);
  clock.advance(200);
  assert.deepEqual([connection.drains, connection.quietEnds], [1, 0]);
  clock.advance(1200);
  assert.deepEqual([connection.drains, connection.quietEnds], [1, 1]);
  clock.advance(3600);
  assert.equal(connection.givenUp, '');
  clock.advance(300);
  assert.match(connection.givenUp, /did not leave/);
  assert.equal(wheel.size, 0);
});

test('without a grace an old connection may take as long as its calls do', () => {
  const { clock, connection, wheel } = watch({}, undefined, 10_000);
  clock.advance(100_000);
  assert.deepEqual([connection.drains, connection.quietEnds, connection.givenUp], [1, 1, '']);
  assert.equal(wheel.size, 0);
});

test('an age limit and an idle limit each count for themselves', () => {
  const { clock, connection } = watch({ idleTimeoutMs: 20_000 }, (fake) => (fake.openStreams = 0), 50_000);
  for (let step = 0; step < 4; step++) {
    connection.lastReadMs = clock.now();
    clock.advance(12_000);
  }
  assert.equal(connection.drains, 0);
  connection.lastReadMs = clock.now();
  clock.advance(2200);
  assert.equal(connection.drains, 1);
});

test('an age below the time for setting up counts too', () => {
  const { clock, connection } = watch({ setupTimeoutMs: 60_000 }, undefined, 2000);
  clock.advance(2100);
  assert.equal(connection.drains, 1);
});

test('leaving twice is leaving once, and setting up goes on meanwhile', () => {
  const { clock, connection, watched } = watch({ setupTimeoutMs: 5000 }, (fake) => (fake.isSetUp = false));
  watched.leave();
  watched.leave();
  assert.equal(connection.drains, 1);
  clock.advance(1300);
  assert.equal(connection.quietEnds, 1);
  clock.advance(3800);
  assert.equal(connection.givenUp, 'not set up within 5000 ms');
});

test('a stopped watch is silent', () => {
  const { clock, connection, watched, wheel } = watch({ keepaliveTimeMs: 1000, keepaliveTimeoutMs: 500 });
  watched.stop();
  watched.stop();
  clock.advance(10_000);
  assert.equal(connection.answers.length, 0);
  assert.equal(wheel.size, 0);
});
