/**
 * Server reflection, as far as it can be answered: which services are here, and what the health service looks like. No
 * other descriptors are kept, because payloads are passed on unread; questions for them are answered with NOT_FOUND.
 * @source grpc/reflection/v1/reflection.proto; v1alpha is the same messages under another name.
 */
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Message, MethodHandler, MethodRegistry, ServerCall } from './contract.js';
import { encodeHealthFile, HEALTH_FILE, isHealthSymbol } from './health-descriptor.js';
import { takeBytes } from './sliced-message.js';
import { GRPC_STATUS } from './status.js';

// Questions of a ServerReflectionRequest.
const FILE_BY_FILENAME = 3;
const FILE_CONTAINING_SYMBOL = 4;
const LIST_SERVICES = 7;
/** Names of files and services are short, and every answer repeats its question. @units bytes */
const MAX_REQUEST_BYTES = 4096;
/** Answers that wait for a caller who asks on without reading: a few dozen of the largest. @units bytes */
const MAX_UNSENT_BYTES = 64 * 1024;
const NO_DESCRIPTORS = 'no descriptor of this here: payloads are passed on unread';

/** Registers both versions. `listPaths` gives the method paths known when asked. */
export function registerReflection(registry: MethodRegistry, listPaths: () => readonly string[]): void {
  const handler: MethodHandler = {
    onCall: () => undefined,
    onMessage: (call: ServerCall, message: Message) => {
      if (message.length > MAX_REQUEST_BYTES || call.unsentBytes > MAX_UNSENT_BYTES) {
        message.release();
        call.finish(GRPC_STATUS.RESOURCE_EXHAUSTED, 'too large a question, or answers that are not read');
        return;
      }
      const reply = answer(takeBytes(message), listPaths());
      if (reply === null) call.finish(GRPC_STATUS.INVALID_ARGUMENT, 'malformed request');
      else call.sendMessage([reply], reply.length);
    },
    onHalfClose: (call) => {
      call.finish(GRPC_STATUS.OK);
    },
    onEnd: () => undefined,
  };
  registry.register('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', handler);
  registry.register('/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', handler);
}

/** ServerReflectionResponse for a ServerReflectionRequest; null when that is malformed. */
function answer(request: Uint8Array, paths: readonly string[]): Uint8Array | null {
  const reader = new BinaryReader(request);
  let question = 0;
  let subject = '';
  try {
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      // Field 1 is the host, all others are the question.
      if (field > 1) question = field;
      if (field === FILE_BY_FILENAME || field === FILE_CONTAINING_SYMBOL) subject = reader.string();
      else reader.skip(type);
    }
  } catch {
    return null;
  }
  const response = new BinaryWriter();
  response.tag(2, WireType.LengthDelimited).bytes(request);
  if (question === LIST_SERVICES) {
    response.tag(6, WireType.LengthDelimited).fork();
    for (const service of servicesOf(paths)) {
      response.tag(1, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(service).join();
    }
    return response.join().finish();
  }
  if (isAboutHealth(question, subject)) {
    response.tag(4, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).bytes(encodeHealthFile());
    return response.join().finish();
  }
  response.tag(7, WireType.LengthDelimited).fork();
  response.tag(1, WireType.Varint).int32(GRPC_STATUS.NOT_FOUND).tag(2, WireType.LengthDelimited).string(NO_DESCRIPTORS);
  return response.join().finish();
}

function isAboutHealth(question: number, subject: string): boolean {
  if (question === FILE_BY_FILENAME) return subject === HEALTH_FILE;
  return question === FILE_CONTAINING_SYMBOL && isHealthSymbol(subject);
}

function servicesOf(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.map((path) => path.slice(1, path.lastIndexOf('/'))))].sort();
}
