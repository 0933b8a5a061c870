import { sleep } from '../sleep.ts';
import { type Answer, askOnce } from './ask-once.ts';
import type { HealthConfig } from './health-check.ts';

export interface HealthReport {
  readonly healthy: boolean;
  readonly report: string;
}

/**
 * Asks until there were enough right answers in a row, or the time is over. One right answer among
 * wrong ones is not enough: what flaps is not healthy. Rejects with the signal's reason.
 */
export async function awaitHealthy({
  base,
  health,
  signal,
  now = Date.now,
  ask = (abort) => askOnce(base, health, abort),
}: {
  readonly base: string;
  readonly health: HealthConfig;
  readonly signal: AbortSignal;
  readonly now?: () => number;
  readonly ask?: (signal: AbortSignal) => Promise<Answer>;
}): Promise<HealthReport> {
  const what = `GET ${base}${health.path}`;
  const deadline = now() + health.timeout_s * 1000;
  let inRow = 0;
  let asked = 0;
  let right = 0;
  let last = '';
  do {
    if (asked > 0) await sleep(health.interval_ms, signal);
    const answer = await ask(signal);
    asked += 1;
    last = answer.got;
    inRow = answer.right ? inRow + 1 : 0;
    right += answer.right ? 1 : 0;
    if (inRow >= health.successes) {
      const times = inRow === 1 ? '' : `, ${inRow} times in a row`;
      return { healthy: true, report: `${what} gave ${last}${times}.` };
    }
  } while (now() < deadline);
  const flaps =
    right === 0
      ? ''
      : ` ${right} of ${asked} answers were right, never ${health.successes} in a row.`;
  const report = `${what} was not healthy within ${health.timeout_s} s; at last: ${last}.${flaps}`;
  return { healthy: false, report };
}
