/** HOT. Puts an event's messages into a call, with its identity in front: protobuf fields concatenate. */
import type { ClientCall } from '../../net/grpc/contract.js';
import type { Event } from '../event.js';

/**
 * Writes the messages [from, to) of `event`; `identity` goes before the first of them.
 * @cost One array when an identity is spliced, none otherwise.
 */
export function writeMessages(
  call: ClientCall,
  event: Event,
  from: number,
  to: number,
  identity: Uint8Array | null,
): void {
  let index = from;
  if (identity !== null) {
    const first = event.messages[index++]!;
    const parts: Uint8Array[] = [identity];
    const rest = first.parts;
    for (let part = 0; part < rest.length; part++) parts.push(rest[part]!);
    call.sendMessage(parts, identity.length + first.length);
  }
  for (; index < to; index++) {
    const message = event.messages[index]!;
    call.sendMessage(message.parts, message.length);
  }
}
