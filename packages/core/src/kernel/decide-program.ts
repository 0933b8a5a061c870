import type { Limits } from '../agents/limits.ts';
import type { Program, ProgramStep } from '../agents/program.ts';
import type { AssistantPart } from '../messages/message.ts';
import { finish, record } from './decisions.ts';
import type { Effect } from './effects.ts';
import { programView } from './program-view.ts';
import type { RunState } from './state.ts';

/** What stands in the log in the place of a model's id. */
export const programModel = 'program';

/**
 * A program says what is next, here and now: it is pure, so nobody has to be asked. What it says is
 * written as a reply and goes the way of every reply.
 */
export function decideProgram(
  program: Program,
  { turns }: Pick<Limits, 'turns'>,
  state: RunState,
): readonly Effect[] {
  const view = programView(state);
  const step = program(view);
  switch (step.type) {
    case 'call':
      if (step.calls.length > 0) {
        if (state.turn < turns) return say(state, toParts(step));
        const explanation = `The program made calls ${turns} times, which is all it may, and wants more.`;
        return finish('failed', 'turn_limit', explanation);
      }
      if (view.calls.some(({ status }) => status === 'open')) return [];
      return finish('failed', 'program_failed', 'The program waits, and nothing is under way.');
    case 'finish':
      return say(state, [{ type: 'text', text: step.output }]);
    case 'fail':
      return finish('failed', 'program_failed', step.explanation);
    default:
      return step satisfies never;
  }
}

function toParts({ calls }: Extract<ProgramStep, { type: 'call' }>): AssistantPart[] {
  return calls.map((call) => ({ type: 'tool_call', ...call }));
}

function say({ turn }: RunState, content: AssistantPart[]): readonly Effect[] {
  const calls = content.some(({ type }) => type === 'tool_call');
  const asked = { turn: turn + 1, model: programModel };
  return record(
    { type: 'model.requested', ...asked, messages: 0, estimatedTokens: 0 },
    { type: 'model.replied', ...asked, reply: { content, finish: calls ? 'tool_calls' : 'stop' } },
  );
}
