/**
 * The closed set of data types, each the token that pairs a receiver with a forwarder, with the name the original gives
 * it in `sender_output_count{type}`.
 */
export const DATA_TYPES = {
  'als-v2': 'EnvoyALSV2Type',
  'als-v3': 'EnvoyALSV3Type',
  log: 'Logging',
  management: 'ManagementType',
} as const;

export type DataType = keyof typeof DATA_TYPES;
