import type { Happening } from './events.ts';
import { openCalls } from './open-calls.ts';
import type { RunState } from './state.ts';

/** The end of all questions of tools that ran when the log was left: the tools are gone. */
export function withdrawQuestions(state: RunState): readonly Happening[] {
  return openCalls(state).flatMap(({ call, asks = [] }) =>
    asks.map((asked) => ({
      type: 'question.closed' as const,
      callId: call.id,
      asked,
      outcome: 'withdrawn' as const,
    })),
  );
}
