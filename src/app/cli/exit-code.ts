/** What the process tells its caller when it ends. */
export const EXIT_CODE = {
  done: 0,
  failed: 1,
  usage: 2,
  /** EX_CONFIG of sysexits.h. */
  badConfiguration: 78,
} as const;
