/**
 * The status codes of gRPC.
 * @source gRPC statuscodes.md.
 */
export const GRPC_STATUS = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

const NAMES: readonly string[] = Object.keys(GRPC_STATUS);

/** `UNAVAILABLE` for 14; `CODE(99)` for a code that gRPC does not define. */
export function statusName(code: number): string {
  return NAMES[code] ?? `CODE(${String(code)})`;
}
