import type { Bench } from './bench.ts';
import { type ComparisonResult, compare } from './compare.ts';
import type { MeasureOptions } from './measure.ts';
import { type ScalingResult, scale } from './scale.ts';

export type SectionResult = ComparisonResult | ScalingResult;

/** Measures a bench section by section, handing each result over as it is there. */
export function* runBench(bench: Bench, options: MeasureOptions): Generator<SectionResult> {
  for (const section of bench.sections) {
    switch (section.kind) {
      case 'comparison':
        yield compare(section, options);
        break;
      case 'scaling':
        // A case can be slow at its largest size: fewer rounds, and no long samples.
        yield scale(section, { ...options, rounds: Math.ceil(options.rounds / 4) });
        break;
      default:
        throw new Error(`unhandled section ${JSON.stringify(section satisfies never)}`);
    }
  }
}
