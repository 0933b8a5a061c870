import type { Scaling } from './bench.ts';
import { fitExponent } from './fit-exponent.ts';
import { type MeasureOptions, measure } from './measure.ts';
import { type Spread, spreadOf } from './statistics.ts';

export interface ScaledCase {
  readonly name: string;
  readonly points: readonly { readonly size: number; readonly nanoseconds: Spread }[];
  readonly exponent: number;
  readonly target?: { readonly atMost: number; readonly met: boolean };
}

export interface ScalingResult {
  readonly kind: 'scaling';
  readonly title: string;
  readonly unit: string;
  readonly cases: readonly ScaledCase[];
  readonly notes: readonly string[];
}

/**
 * Times every size of a case in turns and fits how the time grows. The fit goes through the
 * fastest tenth of each size: what else ran on the machine only ever adds.
 */
export function scale(scaling: Scaling, options: MeasureOptions): ScalingResult {
  const { title, unit, notes = [] } = scaling;
  const cases = scaling.cases.map(({ name, sizes, prepare, atMost }): ScaledCase => {
    const contenders = sizes.map((size) => ({ name: String(size), run: prepare(size) }));
    const samples = measure(contenders, options);
    const points = sizes.map((size) => ({
      size,
      nanoseconds: spreadOf(samples.get(String(size)) ?? []),
    }));
    const exponent = fitExponent(
      points.map(({ size, nanoseconds }) => ({ size, time: nanoseconds.p10 })),
    );
    if (atMost === undefined) return { name, points, exponent };
    return { name, points, exponent, target: { atMost, met: exponent <= atMost } };
  });
  return { kind: 'scaling', title, unit, cases, notes };
}
