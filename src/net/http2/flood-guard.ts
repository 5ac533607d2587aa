/**
 * HOT. Limits on frames that cost us work or memory and the peer nothing, counted over a second and set against what the
 * peer does in earnest: each frame with payload, either way, earns allowance, for honest peers ack and probe what they
 * transfer. Past its limit a connection ends with ENHANCE_YOUR_CALM.
 */

/** Why a connection was cut off; also the label of the counter. */
export const GUARDS = {
  /** Streams opened and reset by the peer (CVE-2023-44487). A deadline storm of an honest client stays far below. */
  rapidReset: { name: 'rapid_reset', perSecond: 1000, perTransfer: 0 },
  /** Stream errors the peer provoked, each answered by RST_STREAM (CVE-2025-8671). */
  provokedReset: { name: 'provoked_reset', perSecond: 500, perTransfer: 0 },
  /** Each is applied to all streams and answered (CVE-2019-9515). Honest peers send one, or a few. */
  settings: { name: 'settings', perSecond: 100, perTransfer: 0 },
  /** Each is answered (CVE-2019-9512). Bandwidth probes of gRPC peers come about once a transfer. */
  ping: { name: 'ping', perSecond: 1000, perTransfer: 1 },
  /** DATA without payload and without END_STREAM (CVE-2019-9518). No known peer sends such in numbers. */
  emptyData: { name: 'empty_data', perSecond: 100, perTransfer: 0 },
  /** Credit for what we send; some peers return it for each frame, on both levels. */
  windowUpdate: { name: 'window_update', perSecond: 2000, perTransfer: 4 },
  /** PRIORITY is ignored, but read (CVE-2019-9513); old browsers and load tools send a tree of it at first. */
  priority: { name: 'priority', perSecond: 1000, perTransfer: 1 },
  /** An honest peer says it once or twice in its life. */
  goAway: { name: 'goaway', perSecond: 10, perTransfer: 0 },
  /** Frames of unknown types are ignored, but read. */
  unknown: { name: 'unknown_frame', perSecond: 1000, perTransfer: 1 },
  /** CONTINUATION frames of one block (CVE-2024-27316). At 16 KiB each, a list within our limit needs four. */
  continuation: { name: 'continuation', perSecond: 0, perTransfer: 0 },
  /** Bytes of one block as sent. */
  headerBlock: { name: 'header_block', perSecond: 0, perTransfer: 0 },
  /** What a block stands for: a few bytes of references name megabytes. */
  headerList: { name: 'header_list', perSecond: 0, perTransfer: 0 },
  /** Answers (SETTINGS and PING acks, resets, credit) piled up for a peer that does not read. */
  pendingAnswers: { name: 'pending_answers', perSecond: 0, perTransfer: 0 },
} as const;

/** CONTINUATION frames a block may take. */
export const MAX_CONTINUATIONS = 32;
/** A block may be so many times our limit of a list: larger lists are refused by call, but must be decoded. */
export const MAX_BLOCK_RATIO = 4;
/** Control frames are a few dozen bytes: this many wait only for a peer that has stopped reading. */
export const MAX_PENDING_ANSWER_BYTES = 256 << 10;

const WINDOW_MS = 1000;

export interface Guard {
  readonly name: string;
  readonly perSecond: number;
  readonly perTransfer: number;
}

export class FloodGuard {
  private windowEndMs = 0;
  private transfers = 0;
  private rapidResets = 0;
  private provokedResets = 0;
  private settings = 0;
  private pings = 0;
  private emptyData = 0;
  private windowUpdates = 0;
  private priorities = 0;
  private goAways = 0;
  private unknowns = 0;

  /** Called once a chunk. */
  tick(nowMs: number): void {
    if (nowMs < this.windowEndMs) return;
    this.windowEndMs = nowMs + WINDOW_MS;
    this.transfers = 0;
    this.rapidResets = 0;
    this.provokedResets = 0;
    this.settings = 0;
    this.pings = 0;
    this.emptyData = 0;
    this.windowUpdates = 0;
    this.priorities = 0;
    this.goAways = 0;
    this.unknowns = 0;
  }

  /** A DATA frame with payload was received or sent. */
  earn(): void {
    this.transfers++;
  }

  // Each counts one frame and says whether the connection went too far.

  countRapidReset(): boolean {
    return this.isOver(++this.rapidResets, GUARDS.rapidReset);
  }

  countProvokedReset(): boolean {
    return this.isOver(++this.provokedResets, GUARDS.provokedReset);
  }

  countSettings(): boolean {
    return this.isOver(++this.settings, GUARDS.settings);
  }

  countPing(): boolean {
    return this.isOver(++this.pings, GUARDS.ping);
  }

  countEmptyData(): boolean {
    return this.isOver(++this.emptyData, GUARDS.emptyData);
  }

  countWindowUpdate(): boolean {
    return this.isOver(++this.windowUpdates, GUARDS.windowUpdate);
  }

  countPriority(): boolean {
    return this.isOver(++this.priorities, GUARDS.priority);
  }

  countGoAway(): boolean {
    return this.isOver(++this.goAways, GUARDS.goAway);
  }

  countUnknown(): boolean {
    return this.isOver(++this.unknowns, GUARDS.unknown);
  }

  private isOver(count: number, guard: Guard): boolean {
    return count > guard.perSecond + guard.perTransfer * this.transfers;
  }
}
