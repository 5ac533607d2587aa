/** Builds SkyWalking log messages, and reads them back. */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { bytesField } from './als.js';

export function encodeLog(log: { service?: string; text: string }): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, WireType.Varint).int64(1_700_000_000_000);
  if (log.service !== undefined) writer.tag(2, WireType.LengthDelimited).string(log.service);
  writer.tag(3, WireType.LengthDelimited).string('instance');
  writer.tag(5, WireType.LengthDelimited).fork();
  writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.LengthDelimited).string(log.text).join();
  return writer.join().finish();
}

export function decodeLog(bytes: Uint8Array): { service: string; text: string } {
  const text = bytesField(bytesField(bytesField(bytes, 5)!, 2)!, 1)!;
  return { service: Buffer.from(bytesField(bytes, 2) ?? []).toString(), text: Buffer.from(text).toString() };
}

/** What a backend understands of one call: a log without a service inherits the one before. */
export function readLogsLikeOap(messages: readonly Uint8Array[]): string[] {
  let current = '(nobody)';
  return messages.map((message) => {
    const { service, text } = decodeLog(message);
    if (service !== '') current = service;
    return `${current}:${text}`;
  });
}
