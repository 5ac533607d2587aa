/**
 * The health service that load balancers and probes ask (`grpc.health.v1.Health`): Check once, or Watch for changes.
 * @source grpc/health/v1/health.proto.
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { WheelTimer, type TimerWheel } from '../../base/index.js';
import type { Message, MethodHandler, MethodRegistry, ServerCall } from './contract.js';
import { takeBytes } from './sliced-message.js';
import { GRPC_STATUS } from './status.js';
import { statusError, unaryMethod } from './unary.js';

/** HealthCheckResponse.ServingStatus. */
const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

/**
 * Readiness is asked for, and nothing tells when it changes; so while somebody watches, it is asked for so often. Nobody
 * moves traffic faster.
 */
const WATCH_PERIOD_MS = 1000;

/** One status for the whole server; a service is known when one of its methods is registered. */
export class HealthService {
  private readonly listPaths: () => readonly string[];
  private readonly wheel: TimerWheel;
  private readonly timer: WheelTimer;
  private readonly watches = new Set<ServerCall>();
  private isServing = false;
  private isReady: () => boolean = () => true;
  /** What the watching have heard of the server. */
  private told = NOT_SERVING;

  constructor(listPaths: () => readonly string[], wheel: TimerWheel) {
    this.listPaths = listPaths;
    this.wheel = wheel;
    this.timer = new WheelTimer(() => {
      this.tellChange();
      if (this.watches.size > 0) this.wheel.arm(this.timer, WATCH_PERIOD_MS);
    });
  }

  register(registry: MethodRegistry): void {
    registry.register(
      '/grpc.health.v1.Health/Check',
      unaryMethod((request) => {
        const service = serviceOf(request);
        if (service === null) throw statusError(GRPC_STATUS.INVALID_ARGUMENT, 'malformed request');
        const status = this.statusOf(service);
        if (status === SERVICE_UNKNOWN) throw statusError(GRPC_STATUS.NOT_FOUND, 'unknown service');
        return encodeStatus(status);
      }),
    );
    registry.register('/grpc.health.v1.Health/Watch', this.watchMethod());
  }

  /** Beside `setServing`, the answer follows what `isReady` says when it is asked. */
  follow(isReady: () => boolean): void {
    this.isReady = isReady;
  }

  /** The server serves, or is about to stop: then watches end after hearing it, for they would outlast any drain. */
  setServing(isServing: boolean): void {
    this.isServing = isServing;
    this.tellChange();
    if (isServing) return;
    for (const call of [...this.watches]) call.finish(GRPC_STATUS.UNAVAILABLE, 'the server is shutting down');
  }

  private get status(): number {
    return this.isServing && this.isReady() ? SERVING : NOT_SERVING;
  }

  private statusOf(service: string): number {
    const isKnown = service === '' || this.listPaths().some((path) => path.startsWith(`/${service}/`));
    return isKnown ? this.status : SERVICE_UNKNOWN;
  }

  private tellChange(): void {
    const status = this.status;
    if (status === this.told) return;
    this.told = status;
    for (const call of this.watches) this.tell(call);
  }

  private tell(call: ServerCall): void {
    const reply = encodeStatus(this.statusOf(call.state as string));
    call.sendMessage([reply], reply.length);
  }

  private watch(call: ServerCall): void {
    // The others first: what this one hears now is what all have been told.
    this.tellChange();
    this.watches.add(call);
    this.tell(call);
    if (!this.timer.isArmed) this.wheel.arm(this.timer, WATCH_PERIOD_MS);
  }

  private watchMethod(): MethodHandler {
    return {
      onCall: (call) => {
        call.state = null;
      },
      onMessage: (call: ServerCall, message: Message) => {
        call.state = serviceOf(takeBytes(message));
        if (call.state === null) call.finish(GRPC_STATUS.INVALID_ARGUMENT, 'malformed request');
      },
      onHalfClose: (call) => {
        if (call.state === null) call.finish(GRPC_STATUS.INVALID_ARGUMENT, 'no request message');
        else this.watch(call);
      },
      onEnd: (call) => {
        this.watches.delete(call);
        if (this.watches.size === 0) this.wheel.disarm(this.timer);
      },
    };
  }
}

/** HealthCheckRequest: field 1, the service; '' is the server itself. Null when malformed. */
function serviceOf(request: Uint8Array): string | null {
  const reader = new BinaryReader(request);
  let service = '';
  try {
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (field === 1) service = reader.string();
      else reader.skip(type);
    }
  } catch {
    return null;
  }
  return service;
}

function encodeStatus(status: number): Uint8Array {
  return new BinaryWriter().tag(1, WireType.Varint).int32(status).finish();
}
