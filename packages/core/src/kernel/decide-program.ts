import type { Program, ProgramCall, ProgramStep, ProgramView } from '../agents/program.ts';
import { itemsOf } from '../append-list.ts';
import { pairCalls } from '../context/pair-calls.ts';
import { isJsonObject } from '../json.ts';
import { type AssistantPart, textOf } from '../messages/message.ts';
import { finish, record } from './decisions.ts';
import type { Effect } from './effects.ts';
import type { RunState } from './state.ts';

/** What stands in the log in the place of a model's id. */
export const programModel = 'program';

/** What a program is shown: read off the window, which nothing shortens for a program. */
export function programView(state: RunState): ProgramView {
  const window = itemsOf(state.window);
  const { calls } = pairCalls(window);
  return {
    input: window.flatMap(({ kind, message }) => (kind === 'input' ? [textOf(message)] : [])),
    calls: [...calls.values()].flat().map(
      ({ call, answer }): ProgramCall => ({
        id: call.id,
        name: call.name,
        args: isJsonObject(call.args) ? call.args : {},
        status: answer === undefined ? 'open' : answer.part.isError === true ? 'failed' : 'ok',
        text: answer === undefined ? '' : textOf(answer.part),
      }),
    ),
  };
}

/**
 * A program says what is next, here and now: it is pure, so nobody has to be asked. What it says is
 * written as a reply and goes the way of every reply.
 */
export function decideProgram(program: Program, state: RunState): readonly Effect[] {
  const view = programView(state);
  const step = program(view);
  switch (step.type) {
    case 'call':
      if (step.calls.length > 0) return say(state, toParts(step));
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
