import { encodeAls, encodeIdentifier } from '../support/als.js';
import { encodeLog, readLogsLikeOap } from '../support/log-data.js';
import { readLikeOap } from '../support/pipe-rig.js';
import { testQueuedKind } from './queued-kind.js';

for (const version of ['v2', 'v3']) {
  testQueuedKind({
    receiver: `grpc-envoy-als-${version}-receiver`,
    forwarder: `envoy-als-${version}-grpc-forwarder`,
    path: `/envoy.service.accesslog.${version}.AccessLogService/StreamAccessLogs`,
    encode: (source, text, isFirst) =>
      encodeAls([text], isFirst ? { identifier: encodeIdentifier({ nodeId: source }) } : {}),
    read: (call) => readLikeOap(call).map(({ nodeId, entry }) => `${nodeId}:${entry}`),
  });
}
testQueuedKind({
  receiver: 'grpc-native-log-receiver',
  forwarder: 'native-log-grpc-forwarder',
  path: '/skywalking.v3.LogReportService/collect',
  encode: (source, text, isFirst) => encodeLog(isFirst ? { service: source, text } : { text }),
  read: (call) => readLogsLikeOap(call.messages),
});
