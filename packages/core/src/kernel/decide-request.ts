import type { Agent } from '../agents/define-agent.ts';
import { itemsOf } from '../append-list.ts';
import { contextWarning } from '../context/context-warning.ts';
import { cutResult, maxResultTokens } from '../context/cut-result.ts';
import type { ContextEntry } from '../context/entry.ts';
import { estimateMessageTokens, estimateToolTokens } from '../context/estimate-tokens.ts';
import { explainOverflow } from '../context/explain-overflow.ts';
import { noCompaction } from '../context/no-compaction.ts';
import type { PendingState } from '../context/pending-calls.ts';
import { type ContextDecision, planCompaction } from '../context/plan-compaction.ts';
import type { RenderedContext } from '../context/render-context.ts';
import { tieredCompaction } from '../context/tiered-compaction.ts';
import { chooseTools } from '../guardrails/choose-tools.ts';
import { userMessage } from '../messages/message.ts';
import { finish, record } from './decisions.ts';
import type { Effect } from './effects.ts';
import type { Happening } from './events.ts';
import { exhaustedBudget } from './exhausted-budget.ts';
import type { CallState, RunState } from './state.ts';

const tiers = tieredCompaction();
const none = noCompaction();

/**
 * The model is to be asked: unless a budget is spent, and after the context has been brought
 * within its own. Each thing done to the context is recorded first, then decided again.
 */
export function decideRequest(agent: Agent, state: RunState): readonly Effect[] {
  const spent = exhaustedBudget(agent, state);
  if (spent !== undefined) {
    // A conversation is not over because of it: somebody has to look.
    if (agent.standing) return record({ type: 'run.paused', reason: spent.explanation });
    return finish('failed', spent.reason, spent.explanation);
  }
  const window = itemsOf(state.window);
  const cut = cutLargeResults(agent, state, window);
  if (cut !== undefined) return record(cut);
  const decision = planCompaction({
    system: agent.instructions,
    window,
    pendingCalls: new Map(state.deferred.map((call) => [call.call.id, pendingState(call)])),
    tools: agent.guard.specs,
    budget: state.budget,
    strategy: agent.guard.switches.compaction ? (agent.context.compaction ?? tiers) : none,
    calibration: state.calibration,
    reasoningReplay: state.reasoningReplay,
    canSummarize: agent.context.summarize !== undefined && state.summaryFailed !== true,
  });
  if (decision.type === 'compact') return compact(decision.plan, window);
  if (decision.type === 'too_large' && agent.guard.switches.compaction) {
    return finish('failed', 'context_overflow', explainOverflow(decision));
  }
  const warned = warn(agent, state, decision.tokens / decision.budget);
  return warned === undefined ? [callModel(agent, state, decision.rendered)] : record(warned);
}

/** Results the model has not seen yet that would crowd out everything else. */
function cutLargeResults(
  agent: Agent,
  state: RunState,
  window: readonly ContextEntry[],
): Happening | undefined {
  if (!agent.guard.switches.compaction) return undefined;
  const maxTokens = Math.floor(maxResultTokens(state.budget) / state.calibration.ratio);
  const changes: { entry: number; action: 'replace'; message: ContextEntry['message'] }[] = [];
  let saved = 0;
  for (let at = window.length - 1; at >= 0; at--) {
    const entry = window[at];
    if (entry === undefined || entry.id < state.sentUpTo) break;
    const { message } = entry;
    if (entry.kind !== 'result' || message.role !== 'tool') continue;
    const content = message.content.map((part) => cutResult(part, { maxTokens }));
    if (content.every((part, index) => part === message.content[index])) continue;
    const shorter = { ...message, content };
    saved += estimateMessageTokens(message) - estimateMessageTokens(shorter);
    changes.push({ entry: entry.id, action: 'replace', message: shorter });
  }
  if (changes.length === 0) return undefined;
  const tokensBefore = state.windowTokens;
  return {
    type: 'context.compacted',
    tier: 'cut_results',
    changes,
    corrections: [],
    tokensBefore,
    tokensAfter: tokensBefore - saved,
  };
}

function compact(
  { summarize, ...plan }: Extract<ContextDecision, { type: 'compact' }>['plan'],
  window: readonly ContextEntry[],
): readonly Effect[] {
  if (summarize === undefined || plan.changes.length > 0) {
    return record({ type: 'context.compacted', ...plan });
  }
  const wanted = new Set(summarize.entries);
  const messages = window.filter((entry) => wanted.has(entry.id)).map((entry) => entry.message);
  return [{ type: 'summarize', request: summarize, messages }];
}

function warn(agent: Agent, state: RunState, fraction: number): Happening | undefined {
  const { level, warning } = contextWarning({
    level: state.warningLevel,
    fraction,
    steps: agent.context.warnings,
  });
  if (level === state.warningLevel) return undefined;
  return { type: 'context.warned', level, text: warning ?? '' };
}

function callModel(
  { guard }: Agent,
  state: RunState,
  { messages, tokens }: RenderedContext,
): Effect {
  return {
    type: 'call_model',
    turn: state.turn + 1,
    request: {
      messages: state.warning === undefined ? messages : [...messages, userMessage(state.warning)],
      tools: guard.specs,
      toolChoice: chooseTools(guard, state.progress),
    },
    estimatedTokens: tokens + estimateToolTokens(guard.specs),
  };
}

function pendingState({ call, status }: CallState): PendingState {
  if (status === 'running') return call.external ? 'awaiting_answer' : 'running';
  return status === 'asked' ? 'awaiting_approval' : 'running';
}
