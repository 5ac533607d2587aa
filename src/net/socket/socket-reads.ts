/**
 * HOT. A socket and where its reads go. Without TLS they come in one buffer that all sockets share and that is lent to the
 * reader. Node's other way allocates 64 KiB for every read and takes each chunk through a stream: measured, that costs half
 * as much again as all there is to do with a message of 16 KB (docs/decisions/0007).
 *
 * Node has this (`onread`) for sockets that dial and not for those that are accepted, so the handle of an accepted socket
 * is given to a new one. `handle` is what node's own server passes to its sockets; where it is missing, reads stay as they
 * are.
 */
import { connect, Socket, type NetConnectOpts, type OnReadOpts, type SocketConstructorOpts } from 'node:net';

/** As much as libuv asks the kernel for at once by itself. */
const READ_BYTES = 64 * 1024;
const LENT = new Uint8Array(Buffer.allocUnsafeSlow(READ_BYTES).buffer);

interface HandleOwner {
  _handle?: object | null;
}

/** What node's own server makes sockets with. */
interface AcceptedSocketOpts extends SocketConstructorOpts {
  readonly handle: object;
  readonly onread: OnReadOpts;
}

export class SocketReads {
  readonly socket: Socket;
  /** Set in the turn in which the socket was accepted or began to dial. @ownership the chunk is lent for the call. */
  onRead: (chunk: Uint8Array) => void = () => undefined;

  private constructor(open: (onread: OnReadOpts) => Socket) {
    const callback = (length: number): boolean => {
      this.onRead(LENT.subarray(0, length));
      return true;
    };
    this.socket = open({ buffer: LENT, callback });
  }

  /** Of a socket whose reads come as node hands them over. */
  static of(socket: Socket): SocketReads {
    const reads = new SocketReads(() => socket);
    socket.on('data', (chunk: Uint8Array) => {
      reads.onRead(chunk);
    });
    return reads;
  }

  /** Dials. @throws what node does for bad options. */
  static dial(options: NetConnectOpts): SocketReads {
    return new SocketReads((onread) => connect({ ...options, onread }));
  }

  /** Of a socket accepted in this turn and not touched yet: `socket` of the result is used instead. */
  static ofAccepted(accepted: Socket): SocketReads {
    const handle = (accepted as HandleOwner)._handle ?? null;
    return handle === null ? SocketReads.of(accepted) : new SocketReads((onread) => reopen(accepted, handle, onread));
  }
}

function reopen(accepted: Socket, handle: object, onread: OnReadOpts): Socket {
  const options: AcceptedSocketOpts = { handle, allowHalfOpen: accepted.allowHalfOpen, onread };
  (accepted as HandleOwner)._handle = null;
  const socket = new Socket(options);
  // Without a handle it only tells its server that there is one connection less to wait for.
  accepted.destroy();
  return socket;
}
