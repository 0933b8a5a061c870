import type { Happening } from '@forge/core';
import type { Append } from '../store.ts';

const beginnings: ReadonlySet<Happening['type']> = new Set([
  'run.resumed',
  'model.requested',
  'tool.started',
  'question.asked',
  'question.closed',
  'context.summary_requested',
]);

/**
 * Whether a step says that its lease has got somewhere. A run that kills its workers is still taken
 * up and begun each time: to begin something is none, nor is what a tool asks on the way. An answer
 * that came is a message that was read, and as such progress.
 */
export function isProgress({ state, happenings }: Pick<Append, 'state' | 'happenings'>): boolean {
  return state !== undefined || happenings.some(({ type }) => !beginnings.has(type));
}
