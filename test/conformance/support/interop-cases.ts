/**
 * The standard interop cases, from the client's side, for any client that runs in this process.
 * @source gRPC doc/interop-test-descriptions.md
 */
import { status } from '@grpc/grpc-js';
import assert from 'node:assert/strict';
import { METHODS, payloadOf, type TestMessage, type TestMethod } from './interop-protocol.js';

/** How a call ended; binary metadata is base64 without padding. */
export interface CallEnd {
  readonly code: number;
  readonly message: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly trailers: ReadonlyMap<string, string>;
}

export interface TestCall {
  readonly ended: Promise<CallEnd>;
  send(message: TestMessage): void;
  halfClose(): void;
  cancel(): void;
  /** The next response, or null when no more comes. */
  next(): Promise<TestMessage | null>;
}

export interface TestCallOptions {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly isCompressed?: boolean;
}

export interface TestClient {
  /** Whether it shows gRPC's own headers. */
  readonly showsEncoding: boolean;
  open(method: TestMethod, options?: TestCallOptions): TestCall;
  close(): void;
}

const { OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, UNIMPLEMENTED } = status;
const LARGE_REQUEST_BYTES = 271_828;
const LARGE_RESPONSE_BYTES = 314_159;
const REQUEST_SIZES = [27_182, 8, 1_828, 45_904];
const RESPONSE_SIZES = [31_415, 9, 2_653, 58_979];
const INITIAL = { name: 'x-grpc-test-echo-initial', value: 'test_initial_metadata_value' };
const TRAILING = { name: 'x-grpc-test-echo-trailing-bin', value: 'q6ur' };
const SPECIAL_MESSAGE = '\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n';

export type InteropCase = (client: TestClient) => Promise<void>;

export const INTEROP_CASES: Readonly<Record<string, InteropCase>> = {
  empty_unary: async (client) => {
    const { response, end } = await unary(client, METHODS.empty, {});
    assert.equal(end.code, OK, end.message);
    assert.notEqual(response, null);
  },

  large_unary: async (client) => {
    await expectLarge(client, {});
  },

  client_streaming: async (client) => {
    const call = client.open(METHODS.streamingInput);
    for (const size of REQUEST_SIZES) call.send(payloadOf(size));
    await expectSum(call);
  },

  server_streaming: async (client) => {
    const call = client.open(METHODS.streamingOutput);
    call.send({ response_parameters: RESPONSE_SIZES.map((size) => ({ size })) });
    call.halfClose();
    for (const size of RESPONSE_SIZES) await expectPayload(call, size);
    await expectEnd(call, OK);
  },

  ping_pong: async (client) => {
    const call = client.open(METHODS.fullDuplex);
    for (const [index, size] of RESPONSE_SIZES.entries()) {
      call.send({ response_parameters: [{ size }], ...payloadOf(REQUEST_SIZES[index] ?? 0) });
      await expectPayload(call, size);
    }
    call.halfClose();
    await expectEnd(call, OK);
  },

  empty_stream: async (client) => {
    const call = client.open(METHODS.fullDuplex);
    call.halfClose();
    await expectEnd(call, OK);
  },

  custom_metadata: async (client) => {
    const metadata = { [INITIAL.name]: INITIAL.value, [TRAILING.name]: TRAILING.value };
    const { end } = await unary(client, METHODS.unary, largeRequest(), { metadata });
    const call = client.open(METHODS.fullDuplex, { metadata });
    call.send({ response_parameters: [{ size: LARGE_RESPONSE_BYTES }], ...payloadOf(LARGE_REQUEST_BYTES) });
    await expectPayload(call, LARGE_RESPONSE_BYTES);
    call.halfClose();
    for (const { code, message, headers, trailers } of [end, await expectEnd(call, OK)]) {
      assert.equal(code, OK, message);
      assert.equal(headers.get(INITIAL.name), INITIAL.value);
      assert.equal(trailers.get(TRAILING.name), TRAILING.value);
    }
  },

  status_code_and_message: async (client) => {
    const response_status = { code: UNKNOWN, message: 'test status message' };
    await expectStatus(client, METHODS.unary, response_status);
    await expectStatus(client, METHODS.fullDuplex, response_status);
  },

  special_status_message: async (client) => {
    await expectStatus(client, METHODS.unary, { code: UNKNOWN, message: SPECIAL_MESSAGE });
  },

  unimplemented_method: async (client) => {
    const { end } = await unary(client, METHODS.unimplemented, {});
    assert.equal(end.code, UNIMPLEMENTED, end.message);
  },

  unimplemented_service: async (client) => {
    const { end } = await unary(client, METHODS.ofNoService, {});
    assert.equal(end.code, UNIMPLEMENTED, end.message);
  },

  cancel_after_begin: async (client) => {
    const call = client.open(METHODS.streamingInput);
    call.cancel();
    await expectEnd(call, CANCELLED);
  },

  cancel_after_first_response: async (client) => {
    const call = client.open(METHODS.fullDuplex);
    call.send({ response_parameters: [{ size: 31_415 }], ...payloadOf(27_182) });
    await expectPayload(call, 31_415);
    call.cancel();
    await expectEnd(call, CANCELLED);
  },

  timeout_on_sleeping_server: async (client) => {
    const call = client.open(METHODS.fullDuplex, { timeoutMs: 1 });
    call.send(payloadOf(27_182));
    await expectEnd(call, DEADLINE_EXCEEDED);
  },

  client_compressed_unary: async (client) => {
    const request = { ...largeRequest(), expect_compressed: { value: true } };
    const probe = await unary(client, METHODS.unary, request);
    assert.equal(probe.end.code, INVALID_ARGUMENT, 'the server believed that a plain request was compressed');
    await expectLarge(client, { isCompressed: true }, { expect_compressed: { value: true } });
    await expectLarge(client, {}, { expect_compressed: { value: false } });
  },

  server_compressed_unary: async (client) => {
    const compressed = await expectLarge(client, {}, { response_compressed: { value: true } });
    assertCompressed(client, compressed);
    await expectLarge(client, {}, { response_compressed: { value: false } });
  },

  client_compressed_streaming: async (client) => {
    const call = client.open(METHODS.streamingInput, { isCompressed: true });
    for (const size of REQUEST_SIZES) call.send({ ...payloadOf(size), expect_compressed: { value: true } });
    await expectSum(call);
  },

  server_compressed_streaming: async (client) => {
    const call = client.open(METHODS.streamingOutput);
    const parameters = RESPONSE_SIZES.map((size) => ({ size, compressed: { value: true } }));
    call.send({ response_parameters: parameters });
    call.halfClose();
    for (const size of RESPONSE_SIZES) await expectPayload(call, size);
    const end = await expectEnd(call, OK);
    assertCompressed(client, end);
  },
};

async function unary(
  client: TestClient,
  method: TestMethod,
  request: TestMessage,
  options?: TestCallOptions,
): Promise<{ response: TestMessage | null; end: CallEnd }> {
  const call = client.open(method, options);
  call.send(request);
  call.halfClose();
  return { response: await call.next(), end: await call.ended };
}

function largeRequest(): TestMessage {
  return { response_size: LARGE_RESPONSE_BYTES, ...payloadOf(LARGE_REQUEST_BYTES) };
}

async function expectLarge(
  client: TestClient,
  options: TestCallOptions,
  more: Partial<TestMessage> = {},
): Promise<CallEnd> {
  const { response, end } = await unary(client, METHODS.unary, { ...largeRequest(), ...more }, options);
  assert.equal(end.code, OK, end.message);
  assertPayload(response, LARGE_RESPONSE_BYTES);
  return end;
}

async function expectSum(call: TestCall): Promise<void> {
  call.halfClose();
  const response = await call.next();
  await expectEnd(call, OK);
  const sum = REQUEST_SIZES.reduce((total, size) => total + size, 0);
  assert.equal(response?.aggregated_payload_size, sum);
}

async function expectPayload(call: TestCall, size: number): Promise<void> {
  assertPayload(await call.next(), size);
}

function assertPayload(response: TestMessage | null, size: number): void {
  const body = response?.payload?.body;
  assert.ok(body !== undefined, 'no payload');
  assert.ok(Buffer.alloc(size).equals(body), `${body.length} bytes instead of ${size} zeros`);
}

function assertCompressed(client: TestClient, end: CallEnd): void {
  if (client.showsEncoding) assert.equal(end.headers.get('grpc-encoding'), 'gzip');
}

async function expectEnd(call: TestCall, code: number): Promise<CallEnd> {
  assert.equal(await call.next(), null);
  const end = await call.ended;
  assert.equal(end.code, code, end.message);
  return end;
}

async function expectStatus(
  client: TestClient,
  method: TestMethod,
  response_status: { code: status; message: string },
): Promise<void> {
  const { end } = await unary(client, method, { response_status });
  assert.deepEqual({ code: end.code, message: end.message }, response_status);
}
