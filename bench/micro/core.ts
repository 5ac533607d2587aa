/** What is done with messages: reading by scanning, the queue, the choice of an endpoint, and a whole pipe. */
import { createSeededRandom } from '../../src/base/index.js';
import { EndpointLoad } from '../../src/core/balance/endpoint-load.js';
import { pick } from '../../src/core/balance/picker.js';
import { MemoryBudget } from '../../src/core/budget.js';
import type { Channel, EndpointView, Lease } from '../../src/core/channel.js';
import { Event, Identity } from '../../src/core/event.js';
import { QUEUE_CODE } from '../../src/core/queue.js';
import { AlsReader } from '../../src/core/wire/index.js';
import type { ClientCall, ClientCallHandler } from '../../src/net/grpc/contract.js';
import { SlicedMessage } from '../../src/net/grpc/sliced-message.js';
import { MemoryQueue } from '../../src/plugins/queue/memory-queue/queue.js';
import { statusOf } from '../../test/support/channel.js';
import { ALS_PATH, PipeRig } from '../../test/support/pipe-rig.js';
import { expect, firstMessage, LARGE_LOGS, messageOf, SMALL_LOGS, type Micro } from './micro.js';

const IDENTITY = new Uint8Array(2048);

function countEntries(title: string, logs: Uint8Array): Micro {
  const reader = new AlsReader(true);
  const message = messageOf(logs);
  return {
    title: `count the entries of ${title}`,
    run: (times) => {
      let entries = 0;
      for (let count = 0; count < times; count++) {
        reader.read(message, null);
        entries += reader.entries;
      }
      if (entries < times) throw new Error('entries were overlooked');
    },
  };
}

function takeIdentifier(identifierBytes: number): Micro {
  const reader = new AlsReader(true);
  const original = firstMessage(identifierBytes);
  const bytes = Buffer.alloc(original.length);
  return {
    title: `copy a first message, take and compact its identifier of ${Math.round(identifierBytes / 1024)} KB`,
    run: (times) => {
      let identities = 0;
      for (let count = 0; count < times; count++) {
        // Each time anew: the identifier is cut out where it stands.
        bytes.set(original);
        reader.read(messageOf(bytes), null);
        if (reader.identity !== null) identities++;
      }
      expect(identities, times);
    },
  };
}

function pickEndpoint(endpoints: number): Micro {
  const loads = Array.from({ length: endpoints }, (_, index) => {
    const load = new EndpointLoad();
    load.begin({ bytes: 1000 * (index + 1), startedMs: 0, previous: null, next: null });
    return load;
  });
  const random = createSeededRandom(1);
  return {
    title: `pick one of ${endpoints} endpoints`,
    run: (times) => {
      for (let count = 0; count < times; count++) pick(loads, 1_000_000, count, random);
    },
  };
}

function passMemoryQueue(): Micro {
  const queue = new MemoryQueue({ partitions: 4, eventsPerPartition: 5000, maxBytes: 0, whenFull: 'drop_newest' });
  const event = new Event('als-v3', 0, new Identity(IDENTITY, new MemoryBudget(1 << 30)), 0, 0);
  event.add(new SlicedMessage([LARGE_LOGS], LARGE_LOGS.length, LARGE_LOGS.length), 13);
  return {
    title: 'memory queue: take an event, give it and forget it',
    run: (times) => {
      for (let count = 0; count < times; count++) {
        if (queue.offer(event, 0) !== QUEUE_CODE.ok) throw new Error('an event was refused');
        if (queue.take(0) !== event) throw new Error('the event got lost');
        queue.settle();
      }
    },
  };
}

/** An OAP that takes a call's messages and says OK when told, nothing else. */
class AgreeableChannel implements Channel, Lease {
  readonly metadata = [];
  readonly unaryTimeoutMs = 5000;
  readonly streamTimeoutMs = 20_000;
  readonly endpoint: EndpointView = { id: 1, address: '10.1.0.1:11800', isReady: true };
  private readonly waiting: { call: ClientCall; handler: ClientCallHandler }[] = [];

  lease(): Lease {
    return this;
  }

  leaseForRelay(): Lease {
    return this;
  }

  subscribe(): () => void {
    return () => undefined;
  }

  endpoints(): readonly EndpointView[] {
    return [this.endpoint];
  }

  openCall(_path: string, handler: ClientCallHandler): ClientCall {
    const call = {
      state: null,
      isEnded: false,
      unsentBytes: 0,
      sendMessage: () => undefined,
      halfClose: () => undefined,
      cancel: () => undefined,
    } as unknown as ClientCall;
    this.waiting.push({ call, handler });
    return call;
  }

  settle(): void {
    // Whatever came of it is fine here.
  }

  answerAll(): void {
    for (const { call, handler } of this.waiting.splice(0)) handler.onStatus(call, statusOf(0));
  }
}

/** From the receiver to the settlement: scanning, books, window, queue, batch, call. Time passes as at 3000 messages/s. */
async function passPipe(title: string, logs: Uint8Array, perMs: number): Promise<Micro> {
  const channel = new AgreeableChannel();
  const rig = await PipeRig.start({ createChannel: () => channel, budgetBytes: 1 << 30 });
  const calls = Array.from({ length: 150 }, () => rig.registry.open(ALS_PATH).send(messageOf(firstMessage(2048))));
  let sent = 0;
  return {
    title: `pass ${title} through a whole pipe (150 streams)`,
    run: (times) => {
      const { delivered } = rig.pipe.ledger.snapshot();
      for (let count = 0; count < times; count++) {
        calls[sent % calls.length]!.send(messageOf(logs));
        if (++sent % perMs !== 0) continue;
        rig.clock.advance(1);
        channel.answerAll();
      }
      // The last ones are still in their windows.
      const { delivered: now, held } = rig.pipe.ledger.snapshot();
      if (now.messages + held.messages < delivered.messages + times) throw new Error('messages got lost');
    },
  };
}

export async function createCoreMicros(): Promise<readonly Micro[]> {
  return [
    countEntries('a 16 KB message, 13', LARGE_LOGS),
    countEntries('a 1.3 KB message, one', SMALL_LOGS),
    takeIdentifier(2048),
    takeIdentifier(60 * 1024),
    passMemoryQueue(),
    pickEndpoint(4),
    pickEndpoint(64),
    await passPipe('a 16 KB message', LARGE_LOGS, 3),
    await passPipe('a 1.3 KB message', SMALL_LOGS, 15),
  ];
}
