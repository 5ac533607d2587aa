/**
 * One isolated line from a receiver to a forwarder, composed here and nowhere else:
 *
 *     receiver -> stream handler -> window -> gatherer -> queue -> lane -> processor -> sender -> forwarder -> backend
 *             \-> relay ------------------------------------------------------------------------------------/
 */
import type { MethodHandler, MethodRegistry } from '../../net/grpc/contract.js';
import type { Channel } from '../channel.js';
import { Ledger } from '../ledger.js';
import type { PipeSettings } from '../plugin.js';
import { QueueTotals } from '../queue-totals.js';
import { isDurableQueue } from '../queue.js';
import type { DurableQueue, Queue } from '../queue.js';
import type { Log } from '../telemetry.js';
import { createSenderSettings } from './config.js';
import type { SenderConfig } from './config.js';
import type { Fallbacker, Filter, Forwarder, Intake, QueuedMethod, Receiver } from './contract.js';
import { Gatherer } from './gatherer.js';
import { PIPE_METRICS, PipeMetrics } from './metrics.js';
import { PipeLog } from './pipe-log.js';
import { Processor } from './processor.js';
import { Recovery } from './recovery.js';
import { RelayHandler } from './relay.js';
import { Sender } from './sender.js';
import { Settlement } from './settlement.js';
import { StreamHandler } from './stream-handler.js';
import { WindowWheel } from './window.js';

/** What the topology hands over: made plugins, and the section's own options. */
export interface PipeParts {
  readonly settings: PipeSettings;
  readonly sender: SenderConfig;
  readonly receiver: Receiver;
  readonly queue: Queue;
  readonly filters: readonly Filter[];
  /** The forwarder of the receiver's data type. */
  readonly forwarder: Forwarder;
  readonly fallbacker: Fallbacker;
  readonly channel: Channel;
}

/** In the order of the values of the metric `pipe_state`. Degraded: a plugin threw, and nothing was delivered since. */
const PHASES = ['made', 'running', 'degraded', 'draining', 'closed'] as const;

/** A pipe at one moment, for the status page and tests. */
export interface PipeState {
  readonly name: string;
  readonly phase: (typeof PHASES)[number];
  readonly openWindows: number;
  readonly windowBytes: number;
  readonly pendingEvents: number;
  readonly pendingBytes: number;
  readonly batchesOut: number;
  readonly batchesWaiting: number;
  readonly pausedSources: number;
}

export class Pipe implements Intake {
  readonly name: string;
  readonly ledger: Ledger;
  private readonly parts: PipeParts;
  private readonly log: Log;
  private readonly metrics: PipeMetrics;
  private readonly recovery: Recovery;
  private readonly gatherer: Gatherer;
  private readonly sender: Sender;
  private readonly wheels: WindowWheel[] = [];
  private readonly removers: (() => void)[] = [];
  private phase: PipeState['phase'] = 'made';
  private onDrained: (() => void) | null = null;

  constructor(parts: PipeParts) {
    const { settings, queue, receiver, forwarder } = parts;
    const { clock, budget } = settings;
    this.name = settings.pipeName;
    const log = new PipeLog(settings.log, this.name);
    this.log = log;
    this.parts = parts;
    this.ledger = new Ledger(this.name, settings.metrics);
    this.metrics = new PipeMetrics(this.name, receiver.dataType, settings.metrics);
    const { ledger, metrics } = this;
    const { isOrdered } = receiver;
    const recovery = new Recovery(this.name, clock, settings.random, log, settings.metrics);
    this.recovery = recovery;
    const settlement = new Settlement(ledger, queue, budget, metrics, clock, recovery);
    this.gatherer = new Gatherer({
      ledger,
      queue,
      budget,
      metrics,
      settlement,
      recovery,
      clock,
      log,
      isOrdered,
    });
    this.sender = new Sender({
      settings: createSenderSettings(parts.sender, queue.partitions),
      queue,
      channel: parts.channel,
      forwarder,
      fallbacker: parts.fallbacker,
      processor: new Processor(parts.filters, settlement, recovery),
      settlement,
      recovery,
      metrics,
      clock,
      random: settings.random,
      log,
      isOrdered,
      onRoom: () => {
        this.gatherer.onRoom();
      },
      onIdle: () => {
        this.checkDrained();
      },
    });
    this.gatherer.consumer = this.sender;
  }

  /** Registers the receiver's methods. @order before `start`. */
  attach(registry: MethodRegistry): void {
    this.parts.receiver.attach(registry, this);
  }

  // --- Intake ---

  createQueuedHandler(queued: QueuedMethod): MethodHandler {
    const { settings, receiver } = this.parts;
    const wheel = new WindowWheel(queued, receiver.dataType, settings.clock, this.gatherer);
    this.wheels.push(wheel);
    return new StreamHandler(queued, wheel, this.gatherer, settings.budget, this.log);
  }

  createRelayHandler(method: number, isTwoWay: boolean): MethodHandler {
    const { settings, channel, forwarder } = this.parts;
    return new RelayHandler({
      channel,
      clock: settings.clock,
      metrics: this.metrics,
      path: forwarder.paths[method]!,
      isTwoWay,
    });
  }

  // --- life ---

  /** Opens the queue and begins to send. @order before the server accepts. */
  async start(): Promise<void> {
    const { queue, receiver } = this.parts;
    if (isDurableQueue(queue)) await this.openDurable(queue);
    else await queue.open();
    if (receiver.isQueued && queue.capacity === 0) {
      this.log.warn('the queue keeps nothing: all data of this pipe will be dropped');
    }
    this.registerGauges();
    this.sender.start();
    this.phase = 'running';
  }

  /**
   * Sends all that is held, windows first, without waiting for anything to fill; resolves when nothing is left, or at
   * `deadlineMs` (clock), when the rest is dropped with reason `shutdown`. A durable queue keeps it instead.
   * @order after the server has drained, so that nothing new comes.
   */
  async drain(deadlineMs: number): Promise<void> {
    this.phase = 'draining';
    for (const wheel of this.wheels) wheel.closeAll();
    this.sender.drain();
    const { clock } = this.parts.settings;
    await new Promise<void>((resolve) => {
      const timer = clock.setTimer(Math.max(0, deadlineMs - clock.now()), resolve);
      this.onDrained = () => {
        timer.cancel();
        resolve();
      };
      this.checkDrained();
    });
    this.onDrained = null;
    this.stop();
  }

  /** Ends at once; what is held is dropped with reason `shutdown`. Idempotent. */
  async close(): Promise<void> {
    this.stop();
    for (const remove of this.removers) remove();
    this.removers.length = 0;
    this.ledger.close();
    await this.parts.queue.close();
  }

  get state(): PipeState {
    let openWindows = 0;
    let windowBytes = 0;
    for (const wheel of this.wheels) {
      openWindows += wheel.openWindows;
      windowBytes += wheel.openBytes;
    }
    const { queue } = this.parts;
    let pendingEvents = this.gatherer.waitingEvents;
    for (let partition = 0; partition < queue.partitions; partition++) pendingEvents += queue.pendingEvents(partition);
    return {
      name: this.name,
      phase: this.shownPhase,
      openWindows,
      windowBytes,
      pendingEvents,
      pendingBytes: this.sender.pendingBytes,
      batchesOut: this.sender.batchesOut,
      batchesWaiting: this.sender.batchesWaiting,
      pausedSources: this.gatherer.pausedSources,
    };
  }

  /** What comes now is not lost: a backend is ready, or there is room to hold it. Of a queue that keeps nothing: true. */
  get hasRoom(): boolean {
    const { queue, receiver, channel, settings } = this.parts;
    if (!receiver.isQueued || queue.capacity === 0) return true;
    if (channel.endpoints().some((endpoint) => endpoint.isReady)) return true;
    if (settings.budget.usedBytes >= settings.budget.limitBytes) return false;
    for (let partition = 0; partition < queue.partitions; partition++) {
      if (queue.size(partition) * queue.partitions < queue.capacity) return true;
    }
    return false;
  }

  /** What an earlier process has left there is this pipe's from now on. */
  private async openDurable(queue: DurableQueue): Promise<void> {
    queue.owner = {
      dataType: this.parts.receiver.dataType,
      onChange: () => {
        this.gatherer.onRoom();
        this.sender.pump();
      },
      onLost: (partition, totals, reason) => {
        this.ledger.dropUnread(totals, reason);
        this.sender.onLost(partition, totals);
        this.checkDrained();
      },
      onDurable: (partition, count) => {
        this.gatherer.onDurable(partition, count);
      },
    };
    await queue.open();
    const found = new QueueTotals();
    for (let partition = 0; partition < queue.partitions; partition++) found.add(queue.found(partition));
    if (found.events === 0) return;
    this.ledger.receiveFound(found);
    this.log.info('goes on with what an earlier process left in the queue', {
      events: String(found.events),
      entries: String(found.entries),
      bytes: String(found.bytes),
    });
  }

  private stop(): void {
    if (this.phase === 'closed') return;
    this.phase = 'closed';
    for (const wheel of this.wheels) wheel.closeAll();
    this.gatherer.close();
    this.sender.stop();
  }

  private checkDrained(): void {
    if (this.onDrained === null || !this.sender.isIdle || this.gatherer.waitingEvents > 0) return;
    for (const wheel of this.wheels) if (wheel.openWindows > 0) return;
    this.onDrained();
  }

  private get shownPhase(): PipeState['phase'] {
    return this.phase === 'running' && this.recovery.isDegraded ? 'degraded' : this.phase;
  }

  private registerGauges(): void {
    const { queue, settings } = this.parts;
    const { metrics, clock } = settings;
    const { removers, sender } = this;
    const pipe = this.name;
    removers.push(metrics.gauge(PIPE_METRICS.queueCapacity, { pipeline: pipe }, () => queue.capacity));
    for (let partition = 0; partition < queue.partitions; partition++) {
      const labels = { pipeline: pipe, partition: String(partition) };
      removers.push(metrics.gauge(PIPE_METRICS.queueSize, labels, () => queue.size(partition)));
    }
    removers.push(metrics.gauge(PIPE_METRICS.queueBytes, { pipe }, () => sender.pendingBytes));
    removers.push(metrics.gauge(PIPE_METRICS.state, { pipe }, () => PHASES.indexOf(this.shownPhase)));
    removers.push(metrics.gauge(PIPE_METRICS.inFlight, { pipe }, () => sender.batchesOut));
    removers.push(
      metrics.gauge(PIPE_METRICS.queueAge, { pipe }, () => {
        const oldestMs = sender.oldestReceivedMs;
        return oldestMs === Infinity ? 0 : (clock.now() - oldestMs) / 1000;
      }),
    );
  }
}

/** Composes a pipe of made plugins; `attach` and `start` it, `drain` and `close` it at the end. */
export function createPipe(parts: PipeParts): Pipe {
  return new Pipe(parts);
}
