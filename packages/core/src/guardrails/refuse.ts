import { isJsonObject, nestsTooDeep } from '../json.ts';
import type { AssistantMessage, Message } from '../messages/message.ts';
import { text, userMessage } from '../messages/message.ts';
import { longestName } from './check-call.ts';
import type { Guard } from './create-guard.ts';
import { nudgeText } from './nudge-text.ts';
import { type Problem, type Tone, toneOf } from './problem.ts';
import type { Drain, Progress } from './progress.ts';
import type { ProposedCall, ReadReply } from './read-reply.ts';
import type { FatalReason, Verdict } from './verdict.ts';

const exhausted: Record<Drain, { reason: FatalReason; what: string }> = {
  retries: { reason: 'retries_exhausted', what: 'The model did not give a usable reply' },
  premature: {
    reason: 'steps_not_done',
    what: 'The model kept trying to finish with steps missing',
  },
  prerequisites: {
    reason: 'prerequisites_not_met',
    what: 'The model kept skipping a prerequisite',
  },
  repeats: { reason: 'loop', what: 'The model kept repeating the same calls' },
};

/**
 * Turns problems into a verdict: nudges on the tool channel for calls, a user message where
 * there was none, or the end when the budget for it is spent.
 */
export function refuse(
  guard: Guard,
  progress: Progress,
  refusal: {
    readonly kind: 'retry' | 'blocked';
    readonly drain: Drain;
    readonly read: ReadReply;
    /** By the id of the call; any key where the reply held none. */
    readonly problems: ReadonlyMap<string, Problem>;
  },
): Verdict {
  const { kind, drain, read } = refusal;
  const problems = [...refusal.problems.values()];
  const attempts = progress[drain];
  const limit = guard.switches.nudges ? guard.limits[drain] : 0;
  if (attempts + 1 > limit) {
    const { reason, what } = exhausted[drain];
    const [first] = problems;
    const last = first === undefined ? '' : ` Last: ${nudgeText(first, 1)}`;
    return {
      kind: 'fatal',
      reason,
      explanation: `${what} (${attempts + 1} in a row).${last}`,
      problems,
    };
  }
  const tone = toneOf(attempts);
  return {
    kind,
    drain,
    tone,
    problems,
    message: refusedMessage(read),
    nudges: nudgesFor(guard, read, refusal.problems, tone),
  };
}

function refusedMessage(read: ReadReply): AssistantMessage {
  const calls = read.calls.map((call) => ({
    type: 'tool_call' as const,
    id: call.id,
    name: call.name.slice(0, longestName),
    // What is no sound object could not be replayed to every provider; the log has the original.
    args: isJsonObject(call.args) && !nestsTooDeep(call.args) ? call.args : {},
  }));
  return { role: 'assistant', content: [...read.rest, ...calls] };
}

function nudgesFor(
  guard: Guard,
  read: ReadReply,
  problems: ReadonlyMap<string, Problem>,
  tone: Tone,
): Message[] {
  if (read.calls.length === 0) {
    const said = [...problems.values()].map((problem) => guard.nudge(problem, tone));
    return [userMessage(said.join('\n'))];
  }
  return read.calls.map((call) => nudgeCall(guard, call, problems.get(call.id), tone));
}

function nudgeCall(
  guard: Guard,
  call: ProposedCall,
  problem: Problem | undefined,
  tone: Tone,
): Message {
  const said =
    problem === undefined
      ? `[NotRun] ${call.name} was not run, because another call in the same reply was refused. Send it again if it is still needed.`
      : guard.nudge(problem, tone);
  return {
    role: 'tool',
    content: [
      {
        type: 'tool_result',
        callId: call.id,
        name: call.name.slice(0, longestName),
        content: [text(said)],
        isError: true,
      },
    ],
  };
}
