/** How the backend's own counts compare with the estimate: real tokens per estimated token. */
export interface Calibration {
  readonly ratio: number;
  readonly samples: number;
}

export const uncalibrated: Calibration = { ratio: 1, samples: 0 };

/**
 * A ratio below the floor would let a backend that reports only uncached tokens talk us into
 * overfilling its window; one above the ceiling would compact a window that is nearly empty.
 */
const floor = 0.5;
const ceiling = 4;
/** No single report counts as more than this factor away from what is known. */
const largestStep = 2;
const weightOfNewest = 0.3;

/**
 * Corrects the estimate with what the backend reported for the same request. Smooth and bounded;
 * reports that cannot be true (zero, negative, not finite) change nothing.
 */
export function calibrate(
  previous: Calibration,
  { estimated, reported }: { estimated: number; reported: number },
): Calibration {
  if (!isPositive(estimated) || !isPositive(reported)) return previous;
  const observed = clamp(
    reported / estimated,
    previous.ratio / largestStep,
    previous.ratio * largestStep,
  );
  const ratio = previous.ratio + weightOfNewest * (observed - previous.ratio);
  return { ratio: clamp(ratio, floor, ceiling), samples: previous.samples + 1 };
}

function isPositive(value: number): boolean {
  return Number.isFinite(value) && value > 0;
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
