/**
 * The grpc-timeout header: at most eight digits and a unit.
 * @source gRPC PROTOCOL-HTTP2 "Timeout".
 */
const UNIT_MS: Readonly<Record<string, number>> = { n: 1e-6, u: 1e-3, m: 1, S: 1000, M: 60_000, H: 3_600_000 };
const MAX_VALUE = 99_999_999;

/** Milliseconds of a header value; NaN when it is malformed. */
export function decodeTimeout(value: string): number {
  const match = /^(\d{1,8})([numSMH])$/.exec(value);
  return match === null ? NaN : Number(match[1]) * UNIT_MS[match[2]!]!;
}

/** Header value for `timeoutMs`, rounded up; at least one millisecond, since zero is not a wait. */
export function encodeTimeout(timeoutMs: number): string {
  const ms = Math.max(1, Math.ceil(timeoutMs));
  if (ms <= MAX_VALUE) return `${String(ms)}m`;
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= MAX_VALUE) return `${String(seconds)}S`;
  return `${String(Math.min(Math.ceil(seconds / 3600), MAX_VALUE))}H`;
}
