import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedClock } from '../../../../../src/base/index.js';
import { AcceptLimit, refusalOf, REFUSALS } from '../../../../../src/plugins/server/grpc-server/accept-limit.js';
import { LoadMeter, readQuotaCores } from '../../../../../src/plugins/server/grpc-server/load-meter.js';

const PERIOD_MS = 5000;

/** A process whose work is set by hand, in percent of each period. */
class Workload {
  readonly clock = new SimulatedClock(1000);
  readonly meter: LoadMeter;
  private cpuMs = 0;
  private loopMs = 0;

  constructor(cores: number) {
    this.meter = new LoadMeter(this.clock, cores, () => ({ cpuMs: this.cpuMs, loopMs: this.loopMs }));
  }

  /** One period of work: CPU in percent of one core, the loop in percent of the time. */
  run(cpuPercent: number, loopPercent: number): void {
    this.cpuMs += (PERIOD_MS * cpuPercent) / 100;
    this.loopMs += (PERIOD_MS * loopPercent) / 100;
    this.clock.advance(PERIOD_MS);
  }
}

test('CPU is measured over at least a period, in percent of the cores that may be used', () => {
  const load = new Workload(0.5);
  load.clock.advance(4000);
  assert.equal(load.meter.cpuPercent(), 0);
  load.clock.advance(1000);
  assert.equal(load.meter.cpuPercent(), 0);
  load.run(15, 10);
  assert.deepEqual([load.meter.cpuPercent(), load.meter.loopPercent()], [30, 10]);
  load.run(500, 100);
  assert.deepEqual([load.meter.cpuPercent(), load.meter.loopPercent()], [100, 100]);
});

test('the quota of the container is read in both versions of cgroups', () => {
  const files: Record<string, string> = { '/sys/fs/cgroup/cpu.max': '50000 100000\n' };
  const read = (path: string): string => files[path] ?? '';
  assert.equal(readQuotaCores(read), 0.5);
  files['/sys/fs/cgroup/cpu.max'] = 'max 100000\n';
  assert.equal(readQuotaCores(read), Infinity);
  delete files['/sys/fs/cgroup/cpu.max'];
  assert.equal(readQuotaCores(read), Infinity);
  files['/sys/fs/cgroup/cpu/cpu.cfs_quota_us'] = '200000';
  files['/sys/fs/cgroup/cpu/cpu.cfs_period_us'] = '100000';
  assert.equal(readQuotaCores(read), 2);
});

test('connections are refused by the larger of CPU and event loop, and by their count', () => {
  const load = new Workload(2);
  const limit = new AcceptLimit({ cpu_utilization: 75, connection_count: 10 }, load.meter);
  load.run(100, 60);
  assert.equal(limit.judge(9), null);
  assert.equal(limit.judge(10), 'connections');
  load.run(160, 60);
  assert.equal(limit.judge(0), null);
  load.run(160, 60);
  assert.equal(limit.judge(0), 'cpu');
  load.run(100, 95);
  assert.equal(limit.judge(0), 'event_loop');
});

test('a load around the limit does not make it toggle', () => {
  const load = new Workload(1);
  const limit = new AcceptLimit({ cpu_utilization: 80, connection_count: 10 }, load.meter);
  const verdicts = [79, 81, 81, 73, 79, 71, 79, 81, 81].map((percent) => {
    load.run(percent, 0);
    return limit.judge(0) === null;
  });
  assert.deepEqual(verdicts, [true, true, false, false, false, true, true, true, false]);
});

test('one busy period, as a storm of reconnects makes it, refuses nobody', () => {
  const load = new Workload(1);
  const limit = new AcceptLimit({ cpu_utilization: 75, connection_count: 10_000 }, load.meter);
  const verdicts = [100, 20, 100, 20, 100, 100].map((percent) => {
    load.run(percent, percent);
    // A thousand connections in the same period are one reading.
    for (let count = 0; count < 1000; count++) limit.judge(count);
    return limit.judge(0);
  });
  assert.deepEqual(verdicts, [null, null, null, null, null, 'cpu']);
});

test('an idle process refuses nobody, whatever its neighbours do; a limit of 100 is none', () => {
  const idle = new Workload(1);
  idle.run(2, 3);
  assert.equal(new AcceptLimit({ cpu_utilization: 75, connection_count: 1 }, idle.meter).judge(0), null);
  const busy = new Workload(1);
  const unlimited = new AcceptLimit({ cpu_utilization: 100, connection_count: 1 }, busy.meter);
  busy.run(100, 100);
  assert.equal(unlimited.judge(0), null);
});

test('each reason that peers are told has its label', () => {
  assert.deepEqual(Object.values(REFUSALS).map(refusalOf), Object.keys(REFUSALS));
  assert.equal(refusalOf('the server is shutting down'), 'shutdown');
});
