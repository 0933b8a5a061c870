export interface SizedTime {
  readonly size: number;
  readonly time: number;
}

/**
 * The exponent k of time ≈ c · sizeᵏ: the slope of a least-squares line through the logarithms.
 * 1 is linear, 2 quadratic. Needs two different sizes; a time of zero has no logarithm.
 */
export function fitExponent(points: readonly SizedTime[]): number {
  const logs = points.map(({ size, time }) => ({ x: Math.log(size), y: Math.log(time) }));
  const meanX = mean(logs.map(({ x }) => x));
  const meanY = mean(logs.map(({ y }) => y));
  let covariance = 0;
  let variance = 0;
  for (const { x, y } of logs) {
    covariance += (x - meanX) * (y - meanY);
    variance += (x - meanX) ** 2;
  }
  return covariance / variance;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
