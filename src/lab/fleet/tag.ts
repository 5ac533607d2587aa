/** Tag of a length-delimited protobuf field. */
export function tag(field: number): number {
  return (field << 3) | 2;
}
