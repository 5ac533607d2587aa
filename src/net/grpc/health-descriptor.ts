/**
 * The description of the health service that reflection gives out, so that tools which know nothing but this server
 * (grpcurl) can ask for its health.
 * @source google/protobuf/descriptor.proto (FileDescriptorProto), grpc/health/v1/health.proto.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export const HEALTH_FILE = 'grpc/health/v1/health.proto';
const PACKAGE = 'grpc.health.v1';

// FieldDescriptorProto.
const LABEL_OPTIONAL = 1;
const TYPE_STRING = 9;
const TYPE_ENUM = 14;

/** What reflection may be asked for to get this file. */
export function isHealthSymbol(symbol: string): boolean {
  return symbol.startsWith(`${PACKAGE}.Health`);
}

/** A FileDescriptorProto. */
export function encodeHealthFile(): Uint8Array {
  const file = new BinaryWriter();
  text(file, 1, HEALTH_FILE);
  text(file, 2, PACKAGE);
  nested(file, 4, (request) => {
    text(request, 1, 'HealthCheckRequest');
    nested(request, 2, (field) => describeField(field, 'service', TYPE_STRING));
  });
  nested(file, 4, (response) => {
    text(response, 1, 'HealthCheckResponse');
    nested(response, 2, (field) => {
      describeField(field, 'status', TYPE_ENUM);
      text(field, 6, `.${PACKAGE}.HealthCheckResponse.ServingStatus`);
    });
    nested(response, 4, (status) => {
      text(status, 1, 'ServingStatus');
      ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'].forEach((name, number) => {
        nested(status, 2, (value) => {
          text(value, 1, name);
          value.tag(2, WireType.Varint).int32(number);
        });
      });
    });
  });
  nested(file, 6, (service) => {
    text(service, 1, 'Health');
    nested(service, 2, (method) => describeMethod(method, 'Check'));
    nested(service, 2, (method) => {
      describeMethod(method, 'Watch');
      method.tag(6, WireType.Varint).bool(true);
    });
  });
  text(file, 12, 'proto3');
  return file.finish();
}

/** The only field of its message. */
function describeField(field: BinaryWriter, name: string, type: number): void {
  text(field, 1, name);
  field.tag(3, WireType.Varint).int32(1).tag(4, WireType.Varint).int32(LABEL_OPTIONAL);
  field.tag(5, WireType.Varint).int32(type);
}

function describeMethod(method: BinaryWriter, name: string): void {
  text(method, 1, name);
  text(method, 2, `.${PACKAGE}.HealthCheckRequest`);
  text(method, 3, `.${PACKAGE}.HealthCheckResponse`);
}

function text(writer: BinaryWriter, field: number, value: string): void {
  writer.tag(field, WireType.LengthDelimited).string(value);
}

function nested(writer: BinaryWriter, field: number, write: (inner: BinaryWriter) => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}
