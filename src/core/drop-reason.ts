/**
 * Why data was lost: the closed set of label values of the drop counter. True: intentional, a limit or choice of ours
 * rather than the data's or the peer's fault.
 */
export const DROP_REASONS = {
  /** The queue had no room and its policy drops. */
  queue_full: true,
  /** The process's memory budget was used up. */
  memory_budget: true,
  /** A single event that no queue segment can hold. */
  too_large: true,
  /** It waited in a disk queue longer than `max_age`. */
  expired: true,
  /** Its bytes in a disk queue are damaged. */
  corrupt: false,
  /** Not a message of its kind; dropped alone. */
  malformed: false,
  /** Nothing says whose data it is. */
  no_identity: false,
  /** A filter said so. */
  filtered: true,
  /** The backend finds fault with the data itself. */
  rejected: false,
  /** No backend implements the method. */
  unimplemented: false,
  /** `retry.max_elapsed` passed, or retry is off. */
  retry_expired: true,
  /** A plugin of the pipe throws on it, each time. */
  plugin_failed: false,
  /** Still undelivered when the shutdown deadline came. */
  shutdown: true,
} as const;
export type DropReason = keyof typeof DROP_REASONS;
