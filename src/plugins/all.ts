/** Every plugin there is. The only list: configuration, documentation and topology read it. */
import { byName } from '../core/plugin-set.js';
import type { PluginSet } from '../core/plugin-set.js';
import { createGrpcClient } from './client/grpc-client/index.js';
import { noneFallbacker } from './fallbacker/none-fallbacker/index.js';
import { timerFallbacker } from './fallbacker/timer-fallbacker/index.js';
import { staticFinder } from './finder/static/index.js';
import { envoyAlsV2GrpcForwarder } from './forwarder/envoy-als-v2-grpc-forwarder/index.js';
import { envoyAlsV3GrpcForwarder } from './forwarder/envoy-als-v3-grpc-forwarder/index.js';
import { nativeLogGrpcForwarder } from './forwarder/native-log-grpc-forwarder/index.js';
import { nativeManagementGrpcForwarder } from './forwarder/native-management-grpc-forwarder/index.js';
import { memoryQueue } from './queue/memory-queue/index.js';
import { mmapQueue } from './queue/mmap-queue/index.js';
import { noneQueue } from './queue/none-queue/index.js';
import { grpcEnvoyAlsV2Receiver } from './receiver/grpc-envoy-als-v2-receiver/index.js';
import { grpcEnvoyAlsV3Receiver } from './receiver/grpc-envoy-als-v3-receiver/index.js';
import { grpcNativeLogReceiver } from './receiver/grpc-native-log-receiver/index.js';
import { grpcNativeManagementReceiver } from './receiver/grpc-native-management-receiver/index.js';
import { grpcServer } from './server/grpc-server/index.js';

const FINDERS = [staticFinder] as const;

export const ALL_PLUGINS: PluginSet = {
  server: byName([grpcServer]),
  client: byName([createGrpcClient(FINDERS)]),
  finder: byName(FINDERS),
  receiver: byName([
    grpcEnvoyAlsV2Receiver,
    grpcEnvoyAlsV3Receiver,
    grpcNativeLogReceiver,
    grpcNativeManagementReceiver,
  ]),
  queue: byName([memoryQueue, mmapQueue, noneQueue]),
  filter: byName([]),
  forwarder: byName([
    envoyAlsV2GrpcForwarder,
    envoyAlsV3GrpcForwarder,
    nativeLogGrpcForwarder,
    nativeManagementGrpcForwarder,
  ]),
  fallbacker: byName([noneFallbacker, timerFallbacker]),
};
