/** A whole pipe between fake ends, on a clock that moves by hand. */
import assert from 'node:assert/strict';
import { createSeededRandom, SimulatedClock } from '../../src/base/index.js';
import { MemoryBudget } from '../../src/core/budget.js';
import type { Channel } from '../../src/core/channel.js';
import { createPipe, senderSchema } from '../../src/core/pipe/index.js';
import type { Fallbacker, Filter, Forwarder, Pipe, Receiver } from '../../src/core/pipe/index.js';
import type { PipeSettings } from '../../src/core/plugin.js';
import type { Queue } from '../../src/core/queue.js';
import { ALL_PLUGINS } from '../../src/plugins/all.js';
import { decodeAls } from './als.js';
import { FakeChannel } from './channel.js';
import type { FakeClientCall } from './channel.js';
import { CapturingLog } from './log.js';
import { RecordingMetrics } from './metrics.js';
import { FakeRegistry } from './server-call.js';

/** Options as a configuration file has them. */
type Options = Readonly<Record<string, unknown>>;

export interface RigOptions {
  readonly receiver?: string;
  readonly receiverOptions?: Options;
  readonly forwarder?: string;
  readonly queue?: string;
  readonly queueOptions?: Options;
  readonly fallbacker?: string;
  readonly fallbackerOptions?: Options;
  readonly sender?: Options;
  readonly endpoints?: number;
  readonly budgetBytes?: number;
  readonly filters?: readonly Filter[];
  /** In place of the fake channel. */
  readonly createChannel?: (clock: SimulatedClock) => Channel;
  /** In place of plugins by name. */
  readonly plugins?: { receiver?: Receiver; forwarder?: Forwarder; queue?: Queue; fallbacker?: Fallbacker };
}

export const ALS_PATH = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';

export class PipeRig {
  readonly clock = new SimulatedClock(1000);
  readonly log = new CapturingLog();
  readonly metrics = new RecordingMetrics();
  readonly registry = new FakeRegistry();
  readonly budget: MemoryBudget;
  readonly channel: FakeChannel;
  readonly pipe: Pipe;

  constructor(options: RigOptions = {}) {
    this.budget = new MemoryBudget(options.budgetBytes ?? 64 * 1024 * 1024);
    this.channel = new FakeChannel(options.endpoints ?? 1);
    const settings: PipeSettings = {
      pipeName: 'p',
      clock: this.clock,
      random: createSeededRandom(1),
      log: this.log,
      metrics: this.metrics,
      budget: this.budget,
    };
    const { plugins = {} } = options;
    this.pipe = createPipe({
      settings,
      sender: senderSchema.parse(options.sender ?? {}),
      receiver:
        plugins.receiver ??
        make(ALL_PLUGINS.receiver, options.receiver ?? 'grpc-envoy-als-v3-receiver', options.receiverOptions, settings),
      queue: plugins.queue ?? make(ALL_PLUGINS.queue, options.queue ?? 'memory-queue', options.queueOptions, settings),
      filters: options.filters ?? [],
      forwarder:
        plugins.forwarder ??
        make(ALL_PLUGINS.forwarder, options.forwarder ?? 'envoy-als-v3-grpc-forwarder', {}, settings),
      fallbacker:
        plugins.fallbacker ??
        make(ALL_PLUGINS.fallbacker, options.fallbacker ?? 'none-fallbacker', options.fallbackerOptions, settings),
      channel: options.createChannel?.(this.clock) ?? this.channel,
    });
    this.pipe.attach(this.registry);
  }

  static async start(options: RigOptions = {}): Promise<PipeRig> {
    const rig = new PipeRig(options);
    await rig.pipe.start();
    return rig;
  }

  /** Lets time pass in steps, with backends answering in between. */
  run(deltaMs: number, stepMs = 5): void {
    this.channel.settle();
    for (let passed = 0; passed < deltaMs; passed += stepMs) {
      this.clock.advance(Math.min(stepMs, deltaMs - passed));
      this.channel.settle();
    }
  }

  /** The books balance, and what they hold is there. */
  assertBalanced(): void {
    const { received, delivered, dropped, held } = this.pipe.ledger.snapshot();
    for (const unit of ['events', 'messages', 'entries', 'bytes'] as const) {
      const lost = Object.values(dropped).reduce((sum, column) => sum + column[unit], 0);
      assert.equal(
        received[unit],
        delivered[unit] + lost + held[unit],
        `${unit}: ${JSON.stringify({ received, delivered, dropped, held })}`,
      );
      assert.ok(held[unit] >= 0, `${unit} held`);
    }
  }

  /** Nothing is held, and no memory is charged. */
  assertEmpty(): void {
    this.assertBalanced();
    assert.deepEqual(this.pipe.ledger.snapshot().held, { events: 0, messages: 0, entries: 0, bytes: 0 });
    assert.equal(this.budget.usedBytes, 0, 'memory charged');
  }
}

/** What a backend's Satellite service understands of a call: each entry with the node that was current. */
export function readLikeOap(call: FakeClientCall): { nodeId: string; entry: string }[] {
  const read: { nodeId: string; entry: string }[] = [];
  let current = '(nobody)';
  for (const message of call.messages) {
    const { nodeId, entries } = decodeAls(message);
    if (nodeId !== undefined) current = nodeId;
    for (const entry of entries) read.push({ nodeId: current, entry });
  }
  return read;
}

interface Maker<Instance> {
  readonly schema: { parse(value: unknown): unknown };
  create(config: unknown, settings: PipeSettings): Instance;
}

function make<Instance>(
  definitions: ReadonlyMap<string, Maker<Instance>>,
  name: string,
  options: Options | undefined,
  settings: PipeSettings,
): Instance {
  const definition = definitions.get(name);
  if (definition === undefined) throw new Error(`no plugin ${name}`);
  return definition.create(definition.schema.parse(options ?? {}), settings);
}
