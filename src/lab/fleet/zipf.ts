/**
 * Shares of `count` sources under Zipf's law: the source of rank r gets weight 1 / r^skew. Skew 0 is uniform.
 * @returns shares that add up to 1, highest first.
 */
export function zipfShares(count: number, skew: number): Float64Array {
  const shares = new Float64Array(count);
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) {
    const weight = Math.pow(rank, -skew);
    shares[rank - 1] = weight;
    sum += weight;
  }
  for (let index = 0; index < count; index++) shares[index]! /= sum;
  return shares;
}
