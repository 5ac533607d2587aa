/**
 * The one place where HTTP/2 errors, HTTP statuses and gRPC statuses are translated into each other.
 * @source gRPC PROTOCOL-HTTP2 "Errors", http-grpc-status-mapping.md; RFC 9113 §7.
 */
import { H2_CANCEL, H2_NO_ERROR, H2_PROTOCOL_ERROR } from '../http2/errors.js';
import { GRPC_STATUS } from './status.js';

/** gRPC status by HTTP/2 error code, for a stream that the peer reset. */
const STATUS_OF_RESET: readonly number[] = [
  GRPC_STATUS.INTERNAL, // NO_ERROR: a stream that ended well has sent trailers
  GRPC_STATUS.INTERNAL, // PROTOCOL_ERROR
  GRPC_STATUS.INTERNAL, // INTERNAL_ERROR
  GRPC_STATUS.INTERNAL, // FLOW_CONTROL_ERROR
  GRPC_STATUS.INTERNAL, // SETTINGS_TIMEOUT
  GRPC_STATUS.INTERNAL, // STREAM_CLOSED: the table of gRPC leaves it open; frames after the end are a bug of one side
  GRPC_STATUS.INTERNAL, // FRAME_SIZE_ERROR
  GRPC_STATUS.UNAVAILABLE, // REFUSED_STREAM: nothing was processed
  GRPC_STATUS.CANCELLED, // CANCEL
  GRPC_STATUS.INTERNAL, // COMPRESSION_ERROR
  GRPC_STATUS.INTERNAL, // CONNECT_ERROR
  GRPC_STATUS.RESOURCE_EXHAUSTED, // ENHANCE_YOUR_CALM
  GRPC_STATUS.PERMISSION_DENIED, // INADEQUATE_SECURITY
  GRPC_STATUS.UNKNOWN, // HTTP_1_1_REQUIRED
];

/** Status of a call whose stream the peer reset with `errorCode`. */
export function statusOfReset(errorCode: number): number {
  return STATUS_OF_RESET[errorCode] ?? GRPC_STATUS.UNKNOWN;
}

/** Error code with which we reset a stream whose call ended here with `status`. */
export function resetCodeOf(status: number): number {
  switch (status) {
    case GRPC_STATUS.OK:
      return H2_NO_ERROR;
    case GRPC_STATUS.INTERNAL:
      return H2_PROTOCOL_ERROR;
    default:
      // A deadline, a refused size and a cancellation are all "no longer wanted" to the peer.
      return H2_CANCEL;
  }
}

/** Status of a call that an HTTP response without grpc-status answered. */
export function statusOfHttp(httpStatus: number): number {
  switch (httpStatus) {
    case 400:
      return GRPC_STATUS.INTERNAL;
    case 401:
      return GRPC_STATUS.UNAUTHENTICATED;
    case 403:
      return GRPC_STATUS.PERMISSION_DENIED;
    case 404:
      return GRPC_STATUS.UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
      return GRPC_STATUS.UNAVAILABLE;
    default:
      // 200 included: a response without a status is not an answer of gRPC.
      return GRPC_STATUS.UNKNOWN;
  }
}
