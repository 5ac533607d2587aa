/** What a pipe needs to know about each message, and the contract of those who find it. */
import type { Message } from '../../net/grpc/contract.js';
import { SlicedMessage } from '../../net/grpc/sliced-message.js';

/** Answers of `MessageReader.read`. */
export const READ = { ok: 0, malformed: 1 } as const;
export type ReadCode = (typeof READ)[keyof typeof READ];

/**
 * Finds in one message what the pipe needs to know, by scanning. One instance per method; the results stand in its fields
 * until the next `read`.
 */
export interface MessageReader {
  /** What travels on: the message, without what was cut out. */
  readonly payload: Message;
  readonly entries: number;
  /** The message says whose it is. */
  readonly carriesIdentity: boolean;
  /** An owned copy of that field (tag, length, body) when it differs from the stream's identity so far; else null. */
  readonly identity: Uint8Array | null;
  /** Hash of the partition key, 0 for kinds without order. */
  readonly keyHash: number;
  /** The identity is cut out of the payload, so that a change of identity must begin a new event. */
  readonly cutsIdentity: boolean;
  /**
   * `current`: the stream's identity so far, or null.
   * @ownership after `ok` the message is `payload`, or part of it; a malformed one is still the caller's.
   */
  read(message: Message, current: Uint8Array | null): ReadCode;
}

/** The reader's `payload` of a message that is none. */
export const NO_MESSAGE: Message = new SlicedMessage([], 0, 0);
