import type { Agent } from '../agents/define-agent.ts';
import { itemsOf } from '../append-list.ts';
import { textOf } from '../messages/message.ts';
import type { EndReason } from './events.ts';
import type { RunState } from './state.ts';

const longestShown = 500;

/** What went wrong last, for whoever has to do something about it. */
function lastError({ window }: RunState): string {
  const parts = itemsOf(window)
    .toReversed()
    .flatMap(({ message }) => (message.role === 'tool' ? message.content : []));
  const error = parts.find(({ isError }) => isError === true);
  if (error === undefined) return '';
  const said = textOf(error).trim();
  const shown = said.length > longestShown ? `${said.slice(0, longestShown)}…` : said;
  return ` The last was ${error.name}: ${shown}`;
}

/** The budget that forbids another model call, if one does. Time is read off the events. */
export function exhaustedBudget(
  { guard: { limits, switches }, standing }: Agent,
  state: RunState,
): { reason: EndReason; explanation: string } | undefined {
  const { progress, usage } = state;
  const toolErrors = switches.recovery ? limits.toolErrors : 0;
  if (progress.toolErrors > toolErrors) {
    return {
      reason: 'tool_errors',
      explanation: `${progress.toolErrors} tool calls in a row failed; the limit is ${toolErrors}.${lastError(state)}`,
    };
  }
  // A conversation has as many turns for each thing somebody says.
  if (state.turn - (standing ? state.turnOfInput : 0) >= limits.turns) {
    return {
      reason: 'turn_limit',
      explanation: `The run used all of its ${limits.turns} turns without finishing.`,
    };
  }
  const tokens = usage.inputTokens + usage.outputTokens;
  if (tokens >= limits.tokens) {
    return {
      reason: 'token_limit',
      explanation: `The run used ${tokens} tokens; the limit is ${limits.tokens}.`,
    };
  }
  if (usage.cost >= limits.cost) {
    return {
      reason: 'cost_limit',
      explanation: `The run cost $${usage.cost.toFixed(4)}; the limit is $${limits.cost}.`,
    };
  }
  if (!standing && state.lastAt - state.startedAt >= limits.duration) {
    return { reason: 'time_limit', explanation: `The run took longer than ${limits.duration} ms.` };
  }
  return undefined;
}
