import { type Agent, decide, type Effect, type JsonObject, openCall, text } from '@forge/core';
import type { RunRow } from '@forge/store';
import { mainArgument } from '@forge/tools/policy';
import type { Ruling } from '../approvals/rule-book.ts';
import { questionOf } from '../human/person-tool.ts';
import { newApproval } from './new-approval.ts';
import type { SessionHost } from './session-host.ts';
import { deepestAgents, startChild } from './start-child.ts';
import type { Step } from './step.ts';

/** What is done in the world once the step that says so is on disk. */
export type Act = Extract<Effect, { type: 'call_model' | 'run_tool' | 'summarize' }>;

/** Then it is written, and others get their turn: heartbeats, a cancellation, other runs. */
const longestStep = 1_000;

/**
 * Decides until there is nothing more to decide, or the step is long enough, writing down each
 * intent. Gives what to carry out after the step is appended. With `starts` false nothing new is begun: a worker that stops leaves
 * it to the next one.
 */
export async function planStep(
  host: SessionHost,
  {
    agent,
    run,
    step,
    starts,
  }: { readonly agent: Agent; readonly run: RunRow; readonly step: Step; readonly starts: boolean },
): Promise<readonly Act[]> {
  const acts: Act[] = [];
  for (;;) {
    const before = step.happenings.length;
    for (const effect of decide(agent, step.state)) {
      if (effect.type !== 'record' && effect.type !== 'await_input' && !starts) continue;
      const act = await intend({ host, agent, run, step }, effect);
      if (act !== undefined) acts.push(act);
      // A record changes what was decided after it.
      if (effect.type === 'record') break;
    }
    const { length } = step.happenings;
    if (length === before || length >= longestStep) return acts;
  }
}

interface Intent {
  readonly host: SessionHost;
  readonly agent: Agent;
  readonly run: RunRow;
  readonly step: Step;
}

type CallEffect = Extract<Effect, { type: 'run_tool' | 'await_result' | 'ask_approval' }>;

async function intend(intent: Intent, effect: Effect): Promise<Act | undefined> {
  const { step } = intent;
  switch (effect.type) {
    case 'record':
      step.add(...effect.happenings);
      return undefined;
    case 'call_model': {
      const { turn, request, estimatedTokens } = effect;
      const messages = request.messages.length;
      const asked = { turn, messages, estimatedTokens, ...modelOf(intent, turn) };
      step.add({ type: 'model.requested', ...asked });
      return effect;
    }
    case 'summarize':
      step.add({ type: 'context.summary_requested', replaces: [...effect.request.entries] });
      return effect;
    case 'run_tool':
    case 'await_result':
    case 'ask_approval':
      return intendCall(intent, effect, await judge(intent, effect));
    case 'await_input':
      return undefined;
    default:
      return effect satisfies never;
  }
}

/** A host that cannot say now fails when the model is asked, and that is an event. */
function modelOf(
  { host, agent, run }: Intent,
  turn: number,
): { readonly model?: string; readonly chosen?: JsonObject } {
  try {
    const { id: model, chosen } = host.model(agent, run);
    return { model, ...(turn === 1 && chosen !== undefined && { chosen }) };
  } catch {
    return {};
  }
}

/** What the rules say: to every call, for what they deny never runs. */
function judge({ host, agent, run }: Intent, { name, args }: CallEffect) {
  const tool = agent.guard.tools.get(name);
  const main = tool && mainArgument(tool.spec.inputSchema);
  return host.rules.judge({
    runId: run.id,
    rootId: run.rootId,
    agent: run.agent,
    tool: name,
    args,
    main,
  });
}

function intendCall(
  intent: Intent,
  effect: CallEffect,
  ruling: Ruling | undefined,
): Act | undefined {
  const { step } = intent;
  const { callId, name, args } = effect;
  if (effect.type === 'ask_approval' || ruling?.effect === 'deny') {
    step.add({ type: 'approval.requested', callId, name, args });
    if (ruling === undefined) step.approvals.push(newApproval(intent, effect));
    else step.add(ruled(callId, ruling));
    return undefined;
  }
  const { idempotencyKey } = effect;
  step.add({ type: 'tool.started', callId, name, args, idempotencyKey });
  if (effect.type === 'run_tool') return effect;
  awaitOutside(intent, effect);
  return undefined;
}

function ruled(callId: string, { effect, ruleId, pattern }: Ruling) {
  const approved = effect === 'allow';
  const reason = approved ? {} : { reason: `the rule ${pattern} denies it` };
  return {
    type: 'approval.decided' as const,
    callId,
    approved,
    via: `rule ${ruleId}`,
    ...reason,
  };
}

/** Who answers from outside is told in the same transaction. */
function awaitOutside(
  intent: Intent,
  { callId, name, args }: Extract<Effect, { type: 'await_result' }>,
) {
  const { agent, run, step } = intent;
  const tool = agent.guard.tools.get(name);
  const answeredBy = tool?.answeredBy;
  if (tool === undefined || answeredBy === undefined) return;
  switch (answeredBy.type) {
    case 'person': {
      const question = questionOf(tool, args);
      step.approvals.push(newApproval(intent, { callId, name, args, question }));
      return;
    }
    case 'agent': {
      const turn = openCall(step.state, callId)?.turn ?? step.state.turn;
      const child = startChild(run, { agent: answeredBy.agent, turn, callId, args });
      if (child !== undefined) step.children.push(child);
      else {
        const said = `[ToolError] ${name} was not started: agents have started agents ${deepestAgents} times over already. Do it yourself.`;
        const content = [text(said)];
        step.add({ type: 'tool.finished', callId, name, outcome: 'error', content });
      }
      return;
    }
    default:
      return answeredBy satisfies never;
  }
}
