/** grpc.testing.TestService as an independent protobuf implementation reads and writes it. */
import {
  loadPackageDefinition,
  type ServiceClientConstructor,
  type ServiceDefinition,
  type status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { fileURLToPath } from 'node:url';
import { repositoryUrl } from '../../support/repository.js';

export interface ResponseParameters {
  readonly size: number;
  readonly interval_us?: number;
  readonly compressed?: { readonly value: boolean } | null;
}

export interface TestMessage {
  /** Of requests. */
  readonly response_size?: number;
  readonly response_parameters?: readonly ResponseParameters[];
  readonly response_status?: { readonly code: status; readonly message: string } | null;
  readonly response_compressed?: { readonly value: boolean } | null;
  readonly expect_compressed?: { readonly value: boolean } | null;
  /** Of requests and responses. */
  readonly payload?: { readonly body: Uint8Array } | null;
  /** Of responses. */
  readonly aggregated_payload_size?: number;
}

export const PROTOCOL_FOLDER = fileURLToPath(repositoryUrl('test/conformance/support'));

const loaded = loadPackageDefinition(
  loadSync('interop.proto', { includeDirs: [PROTOCOL_FOLDER], keepCase: true, defaults: false, arrays: true }),
) as unknown as {
  readonly grpc: {
    readonly testing: Readonly<Record<'TestService' | 'UnimplementedService', ServiceClientConstructor>>;
  };
};

const TEST_SERVICE = loaded.grpc.testing.TestService.service;

export const METHODS = {
  empty: methodOf(TEST_SERVICE, 'EmptyCall'),
  unary: methodOf(TEST_SERVICE, 'UnaryCall'),
  streamingInput: methodOf(TEST_SERVICE, 'StreamingInputCall'),
  streamingOutput: methodOf(TEST_SERVICE, 'StreamingOutputCall'),
  fullDuplex: methodOf(TEST_SERVICE, 'FullDuplexCall'),
  unimplemented: methodOf(TEST_SERVICE, 'UnimplementedCall'),
  ofNoService: methodOf(loaded.grpc.testing.UnimplementedService.service, 'UnimplementedCall'),
} as const;

export type TestMethod = (typeof METHODS)[keyof typeof METHODS];

/** For servers of grpc-js. */
export { TEST_SERVICE };

/** A message of `size` bytes of payload, all zero. */
export function payloadOf(size: number): { payload: { body: Uint8Array } } {
  return { payload: { body: Buffer.alloc(size) } };
}

function methodOf(service: ServiceDefinition, name: string): ServiceDefinition[string] {
  const method = service[name];
  if (method === undefined) throw new Error(`interop.proto has no method ${name}`);
  return method;
}
