import type { Agent } from '../agents/define-agent.ts';
import { text } from '../messages/message.ts';
import type { Happening } from './events.ts';
import { openCalls } from './open-calls.ts';
import type { RunState } from './state.ts';
import { withdrawQuestions } from './withdraw-questions.ts';

/**
 * What to append before going on with a log that somebody else left: nobody carries out any more
 * what was under way. The model and people are asked again, a tool runs again only if that is
 * safe (`idempotent`), else the model is told that the call was interrupted; what its tool had asked
 * a person nobody waits for. Calls that are answered from outside go on waiting. Empty when nothing
 * was under way.
 */
export function recover(
  { guard }: Agent,
  state: RunState,
  /** With `keepsApprovals`, people that were asked still are: the question outlived the process. */
  { keepsApprovals = false }: { readonly keepsApprovals?: boolean } = {},
): readonly Happening[] {
  const { phase } = state;
  const calls = openCalls(state);
  const again: string[] = [];
  const interrupted: Happening[] = [];
  for (const { call, status } of calls) {
    if (status !== 'running' || call.external) continue;
    const { id, name } = call;
    if (guard.tools.get(name)?.idempotent) again.push(id);
    else interrupted.push(interruption(id, name));
  }
  const withdrawn = withdrawQuestions(state);
  const wasAsking = phase.name === 'calling' || phase.name === 'summarizing';
  const asksAgain = !keepsApprovals && calls.some((call) => call.status === 'asked');
  if (!wasAsking && !asksAgain && again.length + interrupted.length === 0) return [];
  const kept = keepsApprovals ? { keepsApprovals } : {};
  return [...withdrawn, { type: 'run.resumed', again, ...kept }, ...interrupted];
}

function interruption(callId: string, name: string): Happening {
  const said =
    `[Interrupted] ${name} had begun when the run was interrupted. Whether it took effect is not known: ` +
    'find out before you call it again.';
  return { type: 'tool.finished', callId, name, outcome: 'cancelled', content: [text(said)] };
}
