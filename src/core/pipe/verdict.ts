/** What a status says about a batch: whose fault it is, and so what to try next. */
import type { Status } from '../../net/grpc/contract.js';
import { OUTCOME } from '../channel.js';
import type { Outcome } from '../channel.js';
import type { RetryCause } from './metrics.js';

/** gRPC status codes, as far as delivery tells them apart. */
const CODE = {
  ok: 0,
  unknown: 2,
  invalidArgument: 3,
  permissionDenied: 7,
  resourceExhausted: 8,
  outOfRange: 11,
  unimplemented: 12,
  internal: 13,
  dataLoss: 15,
  unauthenticated: 16,
} as const;

export const VERDICT = {
  delivered: 0,
  /** This endpoint, now: try another, then wait. Also everything not named below. */
  retry: 1,
  /** This endpoint does not know the method. */
  refusesMethod: 2,
  /** This endpoint does not take our token. */
  refusesToken: 3,
  /** The data. */
  badData: 4,
  /** The data, if other endpoints say so too. */
  suspectData: 5,
} as const;
export type Verdict = (typeof VERDICT)[keyof typeof VERDICT];

/** grpc-java, grpc-go and C-core name the size of the message and the limit, each in its own words. */
const NAMES_MESSAGE_SIZE = /(message|frame).*(larger|exceed|too (big|large)|size|max)/i;

export function classifyStatus(status: Status): Verdict {
  if (status.code === CODE.ok) return VERDICT.delivered;
  // Made on this side: the connection, not the backend's opinion.
  if (status.isLocal) return VERDICT.retry;
  switch (status.code) {
    case CODE.unimplemented:
      return VERDICT.refusesMethod;
    case CODE.permissionDenied:
    case CODE.unauthenticated:
      return VERDICT.refusesToken;
    case CODE.invalidArgument:
    case CODE.outOfRange:
    case CODE.dataLoss:
      return VERDICT.badData;
    case CODE.resourceExhausted:
      return NAMES_MESSAGE_SIZE.test(status.message) ? VERDICT.badData : VERDICT.retry;
    case CODE.internal:
    case CODE.unknown:
      return VERDICT.suspectData;
    default:
      return VERDICT.retry;
  }
}

/** What the balancer hears. @param isFirstSuspicion no endpoint has found fault with this data before */
export function outcomeOf(verdict: Verdict, isFirstSuspicion: boolean): Outcome {
  switch (verdict) {
    case VERDICT.delivered:
      return OUTCOME.ok;
    case VERDICT.retry:
    case VERDICT.refusesToken:
      return OUTCOME.endpointFailed;
    case VERDICT.suspectData:
      return isFirstSuspicion ? OUTCOME.endpointFailed : OUTCOME.neutral;
    case VERDICT.refusesMethod:
    case VERDICT.badData:
      return OUTCOME.neutral;
  }
}

/** Under which cause a retry is counted. */
export function causeOf(verdict: Verdict): RetryCause {
  switch (verdict) {
    case VERDICT.refusesMethod:
      return 'method';
    case VERDICT.refusesToken:
      return 'token';
    case VERDICT.suspectData:
    case VERDICT.badData:
      return 'data';
    default:
      return 'endpoint';
  }
}
