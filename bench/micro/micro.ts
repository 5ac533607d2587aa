/** What the micro benches share: their form, and the inputs of the hot path. */
import { encodeLogs } from '../../src/lab/fleet/message-template.js';
import { DEFAULT_FLEET_OPTIONS } from '../../src/lab/fleet/options.js';
import { IdentityEncoder } from '../../src/lab/fleet/identity.js';
import type { Message } from '../../src/net/grpc/index.js';
import { SlicedMessage } from '../../src/net/grpc/sliced-message.js';

export interface Micro {
  readonly title: string;
  /** Does the work `times` times. */
  readonly run: (times: number) => void;
}

/** 13 entries of Istio's size, 16.5 KB; and one of them. */
export const LARGE_LOGS = encodeLogs('http', 13, DEFAULT_FLEET_OPTIONS.entryBytes);
export const SMALL_LOGS = encodeLogs('http', 1, DEFAULT_FLEET_OPTIONS.entryBytes);

export function messageOf(bytes: Uint8Array): Message {
  return new SlicedMessage([bytes], bytes.length, bytes.length);
}

/** A stream's first message: its identifier in front of the large logs. */
export function firstMessage(identifierBytes: number): Buffer {
  const identifier = new IdentityEncoder(identifierBytes).encode(1, 'http_envoy_accesslog');
  const head: number[] = [0x0a];
  let rest = identifier.length;
  for (; rest >= 128; rest >>>= 7) head.push((rest & 127) | 128);
  head.push(rest);
  return Buffer.concat([Buffer.from(head), identifier, LARGE_LOGS]);
}

/** Fails loudly when the work was not done: a bench of nothing is fast. */
export function expect(done: number, wanted: number): void {
  if (done !== wanted) throw new Error(`${done} of ${wanted} done`);
}
