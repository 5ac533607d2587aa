/** The contracts carry kinds that no plugin has yet: ordered by key, one call per event, unary, several methods. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Batch } from '../../src/core/batch.js';
import { RelayForwarder, writeMessages } from '../../src/core/pipe/index.js';
import type { CallUnit, Filter, Forwarder, Intake, QueuedMethod, Receiver } from '../../src/core/pipe/index.js';
import { QueueTotals } from '../../src/core/queue-totals.js';
import type { Queue } from '../../src/core/queue.js';
import { READ } from '../../src/core/wire/index.js';
import { NO_MESSAGE } from '../../src/core/wire/reader.js';
import type { MessageReader } from '../../src/core/wire/index.js';
import { memoryQueue } from '../../src/plugins/queue/memory-queue/index.js';
import type { ClientCall, Message, MethodRegistry } from '../../src/net/grpc/contract.js';
import { bytesOf } from '../support/als.js';
import { statusOf } from '../support/channel.js';
import { PipeRig } from '../support/pipe-rig.js';

const METHODS = ['/test/first', '/test/second'];

/** Messages of two bytes: key, number. */
class KeyReader implements MessageReader {
  payload: Message = NO_MESSAGE;
  readonly entries = 1;
  readonly carriesIdentity = false;
  readonly identity = null;
  readonly cutsIdentity = false;
  keyHash = 0;

  read(message: Message): typeof READ.ok {
    this.payload = message;
    this.keyHash = message.parts[0]![0]!;
    return READ.ok;
  }
}

class TestReceiver implements Receiver {
  readonly dataType = 'log';
  readonly isQueued = true;
  readonly isOrdered: boolean;

  constructor(isOrdered: boolean) {
    this.isOrdered = isOrdered;
  }

  attach(registry: MethodRegistry, intake: Intake): void {
    for (const [method, path] of METHODS.entries()) {
      const queued: QueuedMethod = {
        method,
        reader: new KeyReader(),
        window: { ack: 'received', flushTimeMs: 0, limitCount: 1, limitBytes: 1e6, totalBytes: 1e6 },
        withoutIdentity: 'accept',
        observer: null,
      };
      registry.register(path, intake.createQueuedHandler(queued));
    }
  }
}

class TestForwarder implements Forwarder {
  readonly dataType = 'log';
  readonly paths = METHODS;
  readonly callUnit: CallUnit;

  constructor(callUnit: CallUnit) {
    this.callUnit = callUnit;
  }

  writeBatch(call: ClientCall, batch: Batch): void {
    for (const event of batch.events) writeMessages(call, event, 0, event.messages.length, null);
    call.halfClose();
  }

  onDelivered(): void {}
}

async function start(
  options: { isOrdered?: boolean; callUnit?: CallUnit; partition?: number; filters?: Filter[]; queue?: Queue } = {},
): Promise<PipeRig> {
  return PipeRig.start({
    endpoints: 2,
    queueOptions: { partition: options.partition ?? 1 },
    filters: options.filters ?? [],
    plugins: {
      receiver: new TestReceiver(options.isOrdered ?? false),
      forwarder: new TestForwarder(options.callUnit ?? 'batch'),
      ...(options.queue && { queue: options.queue }),
    },
  });
}

/** Unary: one message, then half-close. */
function callUnary(rig: PipeRig, path: string, key: number, number: number): number | undefined {
  return rig.registry.open(path).send(Uint8Array.of(key, number)).halfClose().status?.code;
}

describe('a kind ordered by key', () => {
  it('keeps the order of each key through failures, with one batch of a partition out at a time', async () => {
    const rig = await start({ isOrdered: true, partition: 4 });
    const seen = new Map<number, number[]>();
    let tick = 0;
    for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(tick++ % 3 === 0 ? 0 : 14);
    rig.channel.onAnswer = (call, status) => {
      if (status.code !== 0) return;
      for (const message of call.messages) {
        const numbers = seen.get(message[0]!) ?? [];
        numbers.push(message[1]!);
        seen.set(message[0]!, numbers);
      }
    };
    for (let number = 0; number < 40; number++) {
      for (let key = 0; key < 9; key++) callUnary(rig, METHODS[0]!, key, number);
      if (number % 5 === 0) rig.run(100);
      assert.ok(rig.pipe.state.batchesOut <= 4);
    }
    rig.run(60_000, 50);
    assert.equal(seen.size, 9);
    for (const numbers of seen.values())
      assert.deepEqual(
        numbers,
        Array.from({ length: 40 }, (_, index) => index),
      );
    rig.assertEmpty();
  });

  it('keeps the order when a batch is bisected', async () => {
    const rig = await start({ isOrdered: true });
    for (const endpoint of rig.channel.all) {
      endpoint.decide = (call) => statusOf(call.messages.some((message) => message[1] === 3) ? 3 : 0);
    }
    const seen: number[] = [];
    rig.channel.onAnswer = (call, status) => {
      if (status.code === 0) for (const message of call.messages) seen.push(message[1]!);
    };
    for (let number = 0; number < 9; number++) callUnary(rig, METHODS[0]!, 1, number);
    rig.run(5000);
    assert.deepEqual(seen, [0, 1, 2, 4, 5, 6, 7, 8]);
  });
});

describe('a kind of unary calls', () => {
  it('is answered at half-close, and sent in one call each when the unit is an event', async () => {
    const rig = await start({ callUnit: 'event' });
    for (let number = 0; number < 6; number++) assert.equal(callUnary(rig, METHODS[0]!, 1, number), 0);
    rig.run(100);
    assert.deepEqual(
      rig.channel.calls.map((call) => call.messages.length),
      [1, 1, 1, 1, 1, 1],
    );
    rig.assertEmpty();
  });
});

describe('a kind of several methods', () => {
  it('mixes no two methods in one call', async () => {
    const rig = await start();
    for (let number = 0; number < 8; number++) callUnary(rig, METHODS[number < 5 ? 0 : 1]!, 1, number);
    rig.run(1100);
    assert.deepEqual(
      rig.channel.calls.map((call) => [call.path, call.messages.length]),
      [
        [METHODS[0], 5],
        [METHODS[1], 3],
      ],
    );
  });
});

describe('a two-way kind', () => {
  it('is relayed message by message, both ways, until either side ends it', async () => {
    const receiver: Receiver = {
      dataType: 'management',
      isQueued: false,
      isOrdered: false,
      attach: (registry, intake) => {
        registry.register('/test/two-way', intake.createRelayHandler(0, true));
      },
    };
    const rig = await PipeRig.start({
      queue: 'none-queue',
      plugins: { receiver, forwarder: new RelayForwarder('management', ['/backend/two-way']) },
    });
    rig.channel.all[0]!.decide = () => null;
    const agent = rig.registry.open('/test/two-way').send(Uint8Array.of(1));
    const [call] = rig.channel.calls;
    assert.equal(call!.options.deadlineMs, Infinity);
    call!.reply(Uint8Array.of(2));
    agent.send(Uint8Array.of(3)).halfClose();
    assert.equal(agent.isEnded, false);
    call!.reply(Uint8Array.of(4));
    call!.answer(statusOf(0));
    assert.deepEqual(
      call!.messages.map((bytes) => bytes[0]),
      [1, 3],
    );
    assert.deepEqual(
      agent.replies.map((bytes) => bytes[0]),
      [2, 4],
    );
    assert.equal(agent.status?.code, 0);
    assert.equal(rig.channel.openCalls, 0);
  });
});

describe('a filter', () => {
  it('drops events on their way to the sender, counted', async () => {
    const rig = await start({ filters: [{ keeps: (event) => bytesOf(event.messages[0]!)[1]! % 2 === 0 }] });
    for (let number = 0; number < 10; number++) callUnary(rig, METHODS[0]!, 1, number);
    rig.run(100);
    assert.equal(rig.pipe.ledger.snapshot().delivered.events, 5);
    assert.equal(rig.pipe.ledger.snapshot().dropped.filtered?.events, 5);
    rig.assertEmpty();
  });
});

describe('a durable queue', () => {
  it('keeps at a shutdown what was not delivered, and the books say held', async () => {
    const memory = memoryQueue.create(memoryQueue.schema.parse({}), undefined as never);
    let settled = 0;
    const queue: Queue = Object.assign(memory, {
      isDurable: true,
      found: () => new QueueTotals(),
      settle: () => {
        settled++;
      },
    });
    const rig = await start({ queue });
    for (const endpoint of rig.channel.all) endpoint.decide = () => statusOf(14);
    for (let number = 0; number < 5; number++) callUnary(rig, METHODS[0]!, 1, number);
    rig.run(100);
    const drained = rig.pipe.drain(rig.clock.now() + 1000);
    rig.run(1000, 50);
    await drained;
    assert.equal(settled, 0);
    assert.deepEqual(rig.pipe.ledger.snapshot().dropped, {});
    assert.equal(rig.pipe.ledger.snapshot().held.events, 5);
  });
});
