/** Streams that never become calls. */
import type { Http2StreamEvents, Http2StreamHandle } from '../http2/contract.js';

/** Swallows what still comes on a stream that has been answered. */
export class DiscardingStream implements Http2StreamEvents {
  onHeaders(_stream: Http2StreamHandle): void {
    // Trailers of no interest.
  }

  onData(stream: Http2StreamHandle, slice: Uint8Array, endStream: boolean): void {
    if (!endStream) stream.returnCredit(slice.length);
  }

  onReset(): void {
    // Already answered.
  }

  onDrain(): void {
    // Nothing follows.
  }
}

const NOT_GRPC_TEXT = Buffer.from('This port speaks gRPC: a POST with the content-type application/grpc.\n');

/** A request of plain HTTP/2: read to its end like any server would, then answered with 415 and a sentence. */
export class NotGrpcStream extends DiscardingStream {
  override onHeaders(stream: Http2StreamHandle): void {
    this.answer(stream);
  }

  override onData(stream: Http2StreamHandle, slice: Uint8Array, endStream: boolean): void {
    super.onData(stream, slice, endStream);
    if (endStream) this.answer(stream);
  }

  answer(stream: Http2StreamHandle): void {
    const length = NOT_GRPC_TEXT.length;
    const fields = [':status', '415', 'content-type', 'text/plain; charset=utf-8', 'content-length', String(length)];
    stream.sendHeaders(fields, false);
    stream.sendData([NOT_GRPC_TEXT], length, true);
  }
}
