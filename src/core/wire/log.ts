/**
 * HOT. Reads SkyWalking log messages: `LogData { … service = 2 … }`. Agents name the service on the first message of a
 * stream only; the backend lets later ones inherit it. So the service is the identity of a stream: carried over and put
 * before the first message of an event that lacks it.
 */
import type { Message } from '../../net/grpc/contract.js';
import { copyRange, cutRanges, equalsRange } from './payload.js';
import type { Range } from './payload.js';
import { NO_MESSAGE, READ } from './reader.js';
import type { MessageReader, ReadCode } from './reader.js';
import { FieldScanner, WIRE } from './scanner.js';

const SERVICE_TAG = (2 << 3) | WIRE.bytes;

export class LogReader implements MessageReader {
  payload: Message = NO_MESSAGE;
  readonly entries = 1;
  carriesIdentity = false;
  identity: Uint8Array | null = null;
  readonly keyHash = 0;
  readonly cutsIdentity = false;
  private readonly scanner = new FieldScanner();

  read(message: Message, current: Uint8Array | null): ReadCode {
    const scanner = this.scanner;
    const end = message.length;
    let serviceStart = 0;
    let serviceEnd = 0;
    let empties: Range[] | null = null;
    scanner.start(message);
    while (scanner.position < end && !scanner.failed) {
      const start = scanner.position;
      const tag = scanner.readTag();
      if (tag !== SERVICE_TAG) {
        scanner.skipValue(tag, end);
        continue;
      }
      const length = scanner.readLength(end);
      scanner.skip(length);
      if (length > 0) {
        serviceStart = start;
        serviceEnd = scanner.position;
      } else {
        // Spelled out as empty it would hide the service spliced before it.
        empties ??= [];
        empties.push({ start, end: scanner.position });
      }
    }
    const failed = scanner.failed;
    scanner.stop();
    this.identity = null;
    this.carriesIdentity = !failed && serviceEnd > 0;
    if (failed) {
      this.payload = NO_MESSAGE;
      return READ.malformed;
    }
    // Before anything is cut, which moves it.
    if (serviceEnd > 0 && (current === null || !equalsRange(message, serviceStart, serviceEnd, current, 0))) {
      this.identity = Buffer.allocUnsafeSlow(serviceEnd - serviceStart);
      copyRange(message, serviceStart, serviceEnd, this.identity, 0);
    }
    this.payload = empties === null ? message : cutRanges(message, empties);
    return READ.ok;
  }
}
