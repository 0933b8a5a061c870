import type { Trial } from './lesson.ts';

/** 95 %, two sided. */
const z = 1.96;

/** Between which shares of wins the true one lies: Wilson's score interval. All of it without tries. */
export function wilson({ tries, wins }: Trial): { readonly lower: number; readonly upper: number } {
  if (tries <= 0) return { lower: 0, upper: 1 };
  const share = wins / tries;
  const scale = 1 + z ** 2 / tries;
  const middle = share + z ** 2 / (2 * tries);
  const spread = z * Math.sqrt((share * (1 - share)) / tries + z ** 2 / (4 * tries ** 2));
  return {
    lower: Math.max(0, (middle - spread) / scale),
    upper: Math.min(1, (middle + spread) / scale),
  };
}
