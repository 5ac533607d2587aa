import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { ENTRY_ID_PLACEHOLDER } from '../entry-id.js';
import { podIp, SERVICES } from './identity.js';
import { tag } from './tag.js';

/** Which of Envoy's two access loggers. */
export type LoggerKind = 'http' | 'tcp';

/** Paths requested in the simulated mesh; an entry's number chooses one, so sizes differ a little as in life. */
const PATHS = ['/productpage', '/api/v1/orders/4711?expand=items', '/reviews/0', '/ratings/0', '/details/0', '/health'];
const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36';
const STATUS_CODES = [200, 200, 200, 200, 200, 304, 404, 503];
/** 2026-01-01; OAP takes an entry's time from here, the simulated mesh measures by the entry id instead. */
const START_SECONDS = 1_767_225_600;

/**
 * One access-log entry as an Istio sidecar writes it.
 * @shape envoy.data.accesslog.v3 `HTTPAccessLogEntry` or `TCPAccessLogEntry` (v2 has the same numbers); the stream id
 *   is `ENTRY_ID_PLACEHOLDER`. Exactly `bytes` long when that is at least the size of the bare entry.
 */
export function encodeEntry(kind: LoggerKind, number: number, bytes: number): Uint8Array {
  let padding = 0;
  let entry = assemble(kind, number, padding);
  // Lengths are varints, so padding moves the size by a byte or two more than itself: two corrections settle it.
  for (let round = 0; round < 3 && entry.length !== bytes; round++) {
    padding = Math.max(0, padding + bytes - entry.length);
    entry = assemble(kind, number, padding);
  }
  return entry;
}

function assemble(kind: LoggerKind, number: number, padding: number): Uint8Array {
  const entry = new BinaryWriter().uint32(tag(1)).bytes(encodeCommon(number, padding));
  if (kind === 'tcp') {
    const connection = new BinaryWriter().uint32(8).uint64(2781).uint32(16).uint64(3840).finish();
    return entry.uint32(tag(2)).bytes(connection).finish();
  }
  return entry
    .uint32(2 << 3)
    .int32(2)
    .uint32(tag(3))
    .bytes(encodeRequest(number))
    .uint32(tag(4))
    .bytes(encodeResponse(number))
    .finish();
}

/** @shape AccessLogCommon; `padding` goes into the peer metadata Istio keeps in the filter state. */
function encodeCommon(number: number, padding: number): Uint8Array {
  const target = SERVICES[number % SERVICES.length]!;
  const common = new BinaryWriter();
  common.uint32(tag(2)).bytes(encodeAddress(podIp(number + 77), 40_000 + (number % 20_000)));
  common.uint32(tag(3)).bytes(encodeAddress(podIp(number), 9080));
  common.uint32(tag(5)).bytes(encodeSeconds(START_SECONDS, 411_470_000));
  for (const [field, nanos] of [
    [6, 34_542],
    [7, 334_358],
    [8, 334_448],
    [9, 9_587_255],
    [10, 9_785_730],
    [11, 9_758_089],
    [12, 9_833_081],
  ] as const) {
    common.uint32(tag(field)).bytes(encodeSeconds(0, nanos + number));
  }
  common.uint32(tag(13)).bytes(encodeAddress(podIp(number + 99), 9080));
  common.uint32(tag(14)).bytes(encodeAddress(podIp(number), 50_000));
  common.uint32(tag(15)).string(`outbound|9080||${target}.mesh.svc.cluster.local`);
  common.uint32(tag(19)).string('default');
  common.uint32(tag(20)).bytes(encodeAddress(podIp(number + 77), 40_000 + (number % 20_000)));
  if (padding > 0) common.uint32(tag(21)).bytes(encodePeerState(padding));
  common.uint32(tag(23)).bytes(encodeSeconds(0, 9_840_271));
  common.uint32(24 << 3).uint32(1);
  common.uint32(tag(26)).string(ENTRY_ID_PLACEHOLDER);
  return common.finish();
}

/** @shape one pair of `map<string, google.protobuf.Any>`. */
function encodePeerState(padding: number): Uint8Array {
  const any = new BinaryWriter()
    .uint32(tag(1))
    .string('type.googleapis.com/google.protobuf.BytesValue')
    .uint32(tag(2))
    .bytes(Buffer.alloc(padding, 'namespace=mesh;workload=simulated;'));
  return new BinaryWriter().uint32(tag(1)).string('wasm.downstream_peer').uint32(tag(2)).bytes(any.finish()).finish();
}

function encodeRequest(number: number): Uint8Array {
  return new BinaryWriter()
    .uint32(1 << 3)
    .int32(1)
    .uint32(tag(2))
    .string('http')
    .uint32(tag(3))
    .string(`${SERVICES[number % SERVICES.length]!}:9080`)
    .uint32(tag(5))
    .string(PATHS[number % PATHS.length]!)
    .uint32(tag(6))
    .string(USER_AGENT)
    .uint32(tag(9))
    .string('84971a54-90d5-435f-8d52-321a277961e4')
    .uint32(11 << 3)
    .uint64(657)
    .uint32(14 << 3)
    .uint64(729)
    .uint32(15 << 3)
    .uint64(585)
    .finish();
}

function encodeResponse(number: number): Uint8Array {
  const code = STATUS_CODES[number % STATUS_CODES.length]!;
  return new BinaryWriter()
    .uint32(tag(1))
    .bytes(new BinaryWriter().uint32(8).uint32(code).finish())
    .uint32(2 << 3)
    .uint64(122)
    .uint32(3 << 3)
    .uint64(2300)
    .uint32(tag(6))
    .string('via_upstream')
    .uint32(7 << 3)
    .uint64(125)
    .uint32(8 << 3)
    .uint64(132)
    .finish();
}

/** @shape Address {1 socket_address {2 address, 3 port_value}} */
function encodeAddress(host: string, port: number): Uint8Array {
  const socket = new BinaryWriter()
    .uint32(tag(2))
    .string(host)
    .uint32(3 << 3)
    .uint32(port);
  return new BinaryWriter().uint32(tag(1)).bytes(socket.finish()).finish();
}

/** @shape google.protobuf.Timestamp and Duration alike: 1 seconds, 2 nanos. */
function encodeSeconds(seconds: number, nanos: number): Uint8Array {
  const writer = new BinaryWriter();
  if (seconds !== 0) writer.uint32(1 << 3).int64(seconds);
  return writer
    .uint32(2 << 3)
    .int32(nanos)
    .finish();
}
