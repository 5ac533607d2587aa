import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSettings, diskQueueSchema } from '../../../../../src/plugins/queue/mmap-queue/config.js';

const MIB = 1024 * 1024;

function problemsOf(options: Record<string, unknown>): string[] {
  const result = diskQueueSchema.safeParse(options);
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the options of the disk queue', () => {
  it('take a file of the original as it is, in its units', () => {
    const options = {
      segment_size: 524288,
      max_in_mem_segments: 10,
      queue_capacity_segments: 4000,
      flush_period: 500,
      flush_ceiling_num: 100,
      max_event_size: 20480,
      queue_dir: '/data/mmap',
    };
    const settings = createSettings(diskQueueSchema.parse(options), 'logpipe');
    assert.deepEqual(
      [
        settings.directory,
        settings.capacityBytes,
        settings.memoryBytes,
        settings.flushPeriodMs,
        settings.maxEventBytes,
      ],
      ['/data/mmap/logpipe', 2000 * MIB, 5 * MIB, 500, 20480],
    );
  });

  it('put small segments together in files of a good size', () => {
    assert.equal(createSettings(diskQueueSchema.parse({}), 'p').segmentBytes, 4 * MIB);
    const small = { segment_size: 4096, capacity: '1MiB', partition: 2 };
    assert.equal(createSettings(diskQueueSchema.parse(small), 'p').segmentBytes, MIB / 2 / 16);
    const large = { segment_size: '64MiB' };
    assert.equal(createSettings(diskQueueSchema.parse(large), 'p').segmentBytes, 64 * MIB);
  });

  it('keep the name of a pipe inside its directory', () => {
    const settings = createSettings(diskQueueSchema.parse({ directory: '/q' }), '../other/pipe');
    assert.equal(settings.directory, '/q/..%2Fother%2Fpipe');
  });

  it('say with the arithmetic why a capacity cannot hold an event', () => {
    assert.deepEqual(problemsOf({ capacity: '1MiB', max_event_size: '2MiB' }), [
      'capacity: capacity 1048576 bytes are too few: one event of max_event_size 2097152 needs 2097312 with its file',
    ]);
    assert.deepEqual(problemsOf({ queue_capacity_segments: 3, partition: 4 }), [
      'queue_capacity_segments: segment_size 262114 × queue_capacity_segments 3 = 786342 / partition 4 = 196585 bytes are too few: one segment needs 262114',
    ]);
  });

  it('refuse two directories', () => {
    assert.deepEqual(problemsOf({ directory: '/a', queue_dir: '/b' }), [
      'queue_dir: directory names another one; keep one of the two',
    ]);
    assert.deepEqual(problemsOf({ directory: '/a', queue_dir: '/a' }), []);
  });
});
