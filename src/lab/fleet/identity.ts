import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { EMPTY_BYTES } from '../../base/index.js';
import { tag } from './tag.js';

/** Names of the filters a stock Envoy lists in `node.extensions`; repeated with a number until the size is reached. */
const EXTENSION_CATEGORIES = [
  ['envoy.filters.http', 'envoy.extensions.filters.http'],
  ['envoy.filters.network', 'envoy.extensions.filters.network'],
  ['envoy.clusters', 'envoy.extensions.clusters'],
  ['envoy.access_loggers', 'envoy.extensions.access_loggers'],
  ['envoy.transport_sockets.upstream', 'envoy.extensions.transport_sockets'],
] as const;

/** Service names, so that a fleet looks like a mesh of several services. */
export const SERVICES = ['productpage', 'reviews', 'ratings', 'details', 'orders', 'payments', 'inventory', 'search'];

/** The node id by which OAP (and the fake one) tells Envoys apart. */
export function nodeId(envoy: number): string {
  const service = SERVICES[envoy % SERVICES.length]!;
  return `sidecar~${podIp(envoy)}~${service}-v1-${envoy}.mesh~mesh.svc.cluster.local`;
}

/** Inverse of `nodeId`. @returns -1 when the node is not one of ours. */
export function envoyOfNodeId(id: string): number {
  const match = /^sidecar~[\d.]+~[a-z]+-v1-(\d+)\.mesh~/.exec(id);
  return match === null ? -1 : Number(match[1]);
}

export function podIp(envoy: number): string {
  return `10.${(envoy >>> 16) & 255}.${(envoy >>> 8) & 255}.${envoy & 255}`;
}

/** Writes the identifiers of a fleet; what is the same for all Envoys is encoded once. */
export class IdentityEncoder {
  private readonly extensions: Uint8Array;

  /** @units `identifierBytes`: the wanted size of a whole identifier; Istio's is 2 KB, a stock Envoy's 63 KB. */
  constructor(identifierBytes: number) {
    this.extensions = EMPTY_BYTES;
    const bare = this.encode(0, 'http_envoy_accesslog').length;
    this.extensions = encodeExtensions(identifierBytes - bare);
  }

  /**
   * An ALS identifier as Envoy writes it.
   * @shape body of `StreamAccessLogsMessage.Identifier`: 1 node (1 id, 2 cluster, 3 metadata, 4 locality, 6 user agent,
   *   8 version, 9 extensions), 2 log name.
   */
  encode(envoy: number, logName: string): Uint8Array {
    const service = SERVICES[envoy % SERVICES.length]!;
    const node = new BinaryWriter()
      .uint32(tag(1))
      .string(nodeId(envoy))
      .uint32(tag(2))
      .string(`${service}.mesh`)
      .uint32(tag(3))
      .bytes(encodeMetadata(envoy, service))
      .uint32(tag(4))
      .bytes(new BinaryWriter().uint32(tag(1)).string('r1').uint32(tag(2)).string('z1').finish())
      .uint32(tag(6))
      .string('envoy')
      .uint32(tag(8))
      .bytes(encodeBuildVersion())
      .raw(this.extensions)
      .finish();
    return new BinaryWriter().uint32(tag(1)).bytes(node).uint32(tag(2)).string(logName).finish();
  }
}

/** As many whole extensions, each with its field tag, as fit into `bytes`. */
function encodeExtensions(bytes: number): Uint8Array {
  const extensions = new BinaryWriter();
  let length = 0;
  for (let number = 0; ; number++) {
    const field = new BinaryWriter().uint32(tag(9)).bytes(encodeExtension(number)).finish();
    length += field.length;
    if (length > bytes) return extensions.finish();
    extensions.raw(field);
  }
}

/** @shape envoy.config.core.v3.Extension: 1 name, 2 category, 6 type_urls. */
function encodeExtension(number: number): Uint8Array {
  const [category, types] = EXTENSION_CATEGORIES[number % EXTENSION_CATEGORIES.length]!;
  return new BinaryWriter()
    .uint32(tag(1))
    .string(`${category}.simulated_${number}`)
    .uint32(tag(2))
    .string(category)
    .uint32(tag(6))
    .string(`${types}.simulated_${number}.v3.Simulated`)
    .finish();
}

/** @shape envoy.config.core.v3.BuildVersion: 1 version {1 major, 2 minor}, 2 metadata (Struct). */
function encodeBuildVersion(): Uint8Array {
  return new BinaryWriter()
    .uint32(tag(1))
    .bytes(new BinaryWriter().uint32(8).uint32(1).uint32(16).uint32(40).finish())
    .uint32(tag(2))
    .bytes(encodeStruct({ 'build.type': 'RELEASE', 'ssl.version': 'BoringSSL', 'revision.status': 'Clean' }))
    .finish();
}

/** What istio-agent puts into a sidecar's bootstrap: about 1.7 KB. */
function encodeMetadata(envoy: number, service: string): Uint8Array {
  const pod = `${service}-v1-${envoy}`;
  return encodeStruct({
    ANNOTATIONS: {
      'kubernetes.io/config.seen': '2026-01-01T00:00:00.000000000Z',
      'kubernetes.io/config.source': 'api',
      'prometheus.io/path': '/stats/prometheus',
      'prometheus.io/port': '15020',
      'prometheus.io/scrape': 'true',
      'sidecar.istio.io/status':
        '{"initContainers":["istio-init"],"containers":["istio-proxy"],"volumes":["workload-socket","workload-certs","istio-envoy","istio-data","istio-podinfo","istio-token","istiod-ca-cert"],"imagePullSecrets":null,"revision":"default"}',
    },
    APP_CONTAINERS: service,
    CLUSTER_ID: 'Kubernetes',
    ENVOY_PROMETHEUS_PORT: 15090,
    ENVOY_STATUS_PORT: 15021,
    INSTANCE_IPS: podIp(envoy),
    INTERCEPTION_MODE: 'REDIRECT',
    ISTIO_VERSION: '1.24.0',
    LABELS: {
      app: service,
      'pod-template-hash': '5d8f7c9d6b',
      'security.istio.io/tlsMode': 'istio',
      'service.istio.io/canonical-name': service,
      'service.istio.io/canonical-revision': 'v1',
      version: 'v1',
    },
    MESH_ID: 'cluster.local',
    NAME: pod,
    NAMESPACE: 'mesh',
    NODE_NAME: `node-${envoy % 16}`,
    OWNER: `kubernetes://apis/apps/v1/namespaces/mesh/deployments/${service}-v1`,
    POD_PORTS: '[{"containerPort":9080,"protocol":"TCP"}]',
    PROXY_CONFIG: {
      binaryPath: '/usr/local/bin/envoy',
      concurrency: 2,
      configPath: './etc/istio/proxy',
      controlPlaneAuthPolicy: 'MUTUAL_TLS',
      discoveryAddress: 'istiod.istio-system.svc:15012',
      drainDuration: '45s',
      envoyAccessLogService: { address: 'skywalking-satellite.istio-system:11800' },
      proxyAdminPort: 15000,
      serviceCluster: 'istio-proxy',
      statNameLength: 189,
      statusPort: 15020,
      terminationDrainDuration: '5s',
    },
    SERVICE_ACCOUNT: service,
    WORKLOAD_NAME: `${service}-v1`,
  });
}

/** The part of JSON that our metadata needs. */
interface StructFields {
  readonly [key: string]: string | number | StructFields;
}

/** @shape google.protobuf.Struct: 1 fields, a map of string to Value {2 number, 3 string, 5 struct}. */
function encodeStruct(fields: StructFields): Uint8Array {
  const struct = new BinaryWriter();
  for (const [key, value] of Object.entries(fields)) {
    const encoded = new BinaryWriter();
    if (typeof value === 'number') encoded.uint32((2 << 3) | 1).double(value);
    else if (typeof value === 'string') encoded.uint32(tag(3)).string(value);
    else encoded.uint32(tag(5)).bytes(encodeStruct(value));
    const pair = new BinaryWriter().uint32(tag(1)).string(key).uint32(tag(2)).bytes(encoded.finish());
    struct.uint32(tag(1)).bytes(pair.finish());
  }
  return struct.finish();
}
