import { z } from 'zod';
import type { MethodRegistry } from '../../net/grpc/contract.js';
import type { DataType } from '../data-type.js';
import { booleanOption, enumOption } from '../options.js';
import { createWindowSettings, windowOptions } from '../pipe/config.js';
import type { Intake, Receiver } from '../pipe/contract.js';
import type { Metrics } from '../telemetry.js';
import { AlsReader } from '../wire/index.js';
import { AlsObserver } from './metrics.js';

export const alsReceiverSchema = z.object({
  ...windowOptions,
  identifier: enumOption(['compact', 'full'], {
    default: 'compact',
    ours: true,
    doc: 'What is passed on of the identifier of an Envoy. compact cuts node.extensions, client_features and listening_addresses, which no backend reads and which are 61 KB in a stock Envoy; full cuts nothing.',
  }),
  peer_metrics: booleanOption({
    default: false,
    ours: true,
    doc: 'Count streams and messages by the address of the Envoy (label peer_host) rather than together. Costs four series for each connected Envoy.',
  }),
});
export type AlsReceiverConfig = z.infer<typeof alsReceiverSchema>;

/** Receives one version of Envoy's access-log service. The method index is 0: all goes to one method. */
export class AlsReceiver implements Receiver {
  readonly dataType: DataType;
  readonly isQueued = true;
  readonly isOrdered = false;
  private readonly path: string;
  private readonly config: AlsReceiverConfig;
  private readonly metrics: Metrics;
  private readonly version: string;

  constructor(dataType: DataType, version: 'v2' | 'v3', path: string, config: AlsReceiverConfig, metrics: Metrics) {
    this.dataType = dataType;
    this.version = version;
    this.path = path;
    this.config = config;
    this.metrics = metrics;
  }

  attach(registry: MethodRegistry, intake: Intake): void {
    const handler = intake.createQueuedHandler({
      method: 0,
      reader: new AlsReader(this.config.identifier === 'compact'),
      window: createWindowSettings(this.config),
      withoutIdentity: 'fail-call',
      observer: new AlsObserver(this.metrics, this.version, this.config.peer_metrics),
    });
    registry.register(this.path, handler);
  }
}
