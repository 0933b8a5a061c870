import type { Effect } from './effects.ts';
import type { EndReason, Happening } from './events.ts';

export function record(...happenings: readonly Happening[]): readonly Effect[] {
  return [{ type: 'record', happenings }];
}

export function finish(
  status: 'completed' | 'failed',
  reason: EndReason,
  explanation: string,
): readonly Effect[] {
  return record({ type: 'run.finished', status, reason, explanation });
}
