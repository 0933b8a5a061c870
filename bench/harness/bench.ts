/** One way to do the work. `run` does it once and returns what came out. */
export interface Contender {
  readonly name: string;
  readonly run: () => unknown;
}

/** Contenders side by side, each as a ratio to the baseline. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly title: string;
  /** The name of the contender that counts as 1. */
  readonly baseline: string;
  readonly contenders: readonly Contender[];
  /** Ratios we promise to stay under. */
  readonly targets?: readonly { readonly contender: string; readonly atMost: number }[];
  readonly notes?: readonly string[];
}

/** The same work at growing sizes. */
export interface Scaling {
  readonly kind: 'scaling';
  readonly title: string;
  /** What a size counts. */
  readonly unit: string;
  readonly cases: readonly ScalingCase[];
  readonly notes?: readonly string[];
}

export interface ScalingCase {
  readonly name: string;
  readonly sizes: readonly number[];
  /** Makes the work of that size; only the returned function is timed. */
  readonly prepare: (size: number) => () => unknown;
  /** The exponent we promise to stay under. */
  readonly atMost?: number;
}

export interface Bench {
  readonly name: string;
  readonly sections: readonly (Comparison | Scaling)[];
}
