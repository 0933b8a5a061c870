import { emptyList, itemsOf } from '../append-list.ts';
import { applyCompaction } from '../context/apply-compaction.ts';
import { calibrate } from '../context/calibration.ts';
import type { EntryKind } from '../context/entry.ts';
import { applySummary } from '../context/summary.ts';
import { ForgeError } from '../errors.ts';
import { noteAccepted, noteRefusal } from '../guardrails/progress.ts';
import type { Message, ToolMessage } from '../messages/message.ts';
import type { ModelReply } from '../models.ts';
import { push, pushInputs, rewindow } from './change-window.ts';
import type { RunEvent } from './events.ts';
import { changeCall, openCall, openCalls } from './open-calls.ts';
import { afterBatch, afterLateResult, defer, isBusy, takeInbox } from './settle-calls.ts';
import { type CallState, initialState, type RunState, type Spent } from './state.ts';

/**
 * What happened: the state after an event. Pure; the cost of an event does not depend on how
 * many came before it. An event that does not follow on the last one (a gap, another run) is
 * an `invalid_event` error, for then the log is broken.
 */
export function evolve(before: RunState, event: RunEvent): RunState {
  checkFollows(before, event);
  const state: RunState = { ...before, seq: event.seq, lastAt: event.at };
  switch (event.type) {
    case 'run.started': {
      const started: RunState = {
        ...state,
        runId: event.runId,
        agent: event.agent,
        startedAt: event.at,
        budget: event.budget,
        reasoningReplay: event.reasoningReplay,
        window: emptyList(),
        phase: { name: 'ready' },
      };
      const withHistory = event.history.reduce(
        (next, message) => push(next, historyKind(message), message),
        started,
      );
      return pushInputs(withHistory, event.input);
    }
    case 'input.received':
      if (isBusy(state)) {
        return { ...state, inbox: [...state.inbox, ...event.messages] };
      }
      return takeInbox({
        ...state,
        inbox: [...state.inbox, ...event.messages],
        startedAt: state.startedAt + timeSinceEnd(state, event.at),
      });
    case 'run.resumed':
      return startOver(state, event);
    case 'run.paused':
      return { ...state, paused: true, pausedAt: state.pausedAt ?? event.at };
    case 'run.continued':
      // Whoever lets it go on has seen where it stands: the turns count anew.
      return {
        ...state,
        paused: false,
        pausedAt: undefined,
        startedAt: state.startedAt + (event.at - (state.pausedAt ?? event.at)),
        turnOfInput: state.turn,
      };
    case 'context.compacted':
      return rewindow(state, applyCompaction(itemsOf(state.window), event));
    case 'context.summary_requested':
      return { ...state, phase: { name: 'summarizing' } };
    case 'context.summary_failed':
      return takeInbox({ ...state, summaryFailed: true, phase: { name: 'ready' } });
    case 'context.summarized':
      return takeInbox({
        ...rewindow(state, applySummary(itemsOf(state.window), event)),
        phase: { name: 'ready' },
      });
    case 'context.warned':
      return {
        ...state,
        warningLevel: event.level,
        warning: event.text === '' ? undefined : event.text,
      };
    case 'model.requested':
      return {
        ...state,
        turn: event.turn,
        requestEstimate: event.estimatedTokens,
        sentUpTo: state.nextEntry,
        phase: { name: 'calling' },
      };
    case 'model.replied':
      return {
        ...state,
        warning: undefined,
        usage: spend(state.usage, event.reply),
        calibration:
          event.reply.usage === undefined
            ? state.calibration
            : calibrate(state.calibration, {
                estimated: state.requestEstimate,
                reported: event.reply.usage.inputTokens,
              }),
        phase: { name: 'replied', reply: event.reply },
      };
    case 'model.failed':
      return { ...state, phase: { name: 'failing', error: event.error } };
    case 'reply.answered':
      return takeInbox({
        ...push(state, 'reply', event.message),
        progress: noteAccepted(state.progress),
        output: { text: event.text },
        phase: { name: 'done', reason: 'answered' },
      });
    case 'reply.accepted':
      return {
        ...push(state, 'reply', event.message),
        progress: noteAccepted(state.progress),
        phase: {
          name: 'acting',
          calls: event.calls.map((call) => ({
            call,
            turn: event.turn,
            status: 'waiting',
            args: call.args,
          })),
        },
      };
    case 'reply.refused': {
      const refused = push(state, 'rejected', event.message);
      const nudged = event.nudges.reduce((next, nudge) => push(next, 'nudge', nudge), refused);
      return takeInbox({
        ...nudged,
        progress: noteRefusal(state.progress, event.drain),
        phase: { name: 'ready' },
      });
    }
    case 'approval.requested':
      return changeCall(state, event.callId, (call) => ({ ...call, status: 'asked' }));
    case 'approval.decided':
      return changeCall(state, event.callId, (call) => {
        if (call.status !== 'asked') return call; // Decided once.
        if (!event.approved) return { ...call, status: 'refused', refusal: event.reason };
        return { ...call, status: 'approved', args: event.args ?? call.args };
      });
    case 'approval.expired':
      return changeCall(state, event.callId, (call) =>
        call.status === 'asked' ? { ...call, status: 'refused', expired: true } : call,
      );
    case 'calls.deferred':
      return defer(state, event.callIds, event.reason);
    case 'tool.started':
      return changeCall(countRun(state, event.name, 1), event.callId, (call) =>
        call.status === 'done' ? call : { ...call, status: 'running', args: event.args },
      );
    case 'question.asked':
      return changeCall(state, event.callId, (call) => ({
        ...call,
        asks: [...(call.asks ?? []), event.seq],
      }));
    case 'question.closed':
      return changeCall(state, event.callId, ({ asks = [], ...call }) => ({
        ...call,
        asks: asks.filter((seq) => seq !== event.asked),
      }));
    case 'tool.finished': {
      const open = openCall(state, event.callId);
      if (open === undefined) return state; // A result that came twice, or too late.
      const result = push(state, 'result', resultMessage(event));
      const { outcome, content } = event;
      const done: CallState = { ...open, status: 'done', outcome, content };
      if (state.deferred.includes(open)) return afterLateResult(result, done);
      return afterBatch(changeCall(result, event.callId, () => done));
    }
    case 'run.finished': {
      const { status, reason, explanation } = event;
      const phase = { name: 'finished', status, reason, explanation } as const;
      return { ...state, phase, endedAt: event.at };
    }
    case 'outcome.recorded':
      return state;
    default:
      return unknownEvent(event);
  }
}

/** The state after a whole log. */
export function fold(events: Iterable<RunEvent>, from: RunState = initialState): RunState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}

function checkFollows(state: RunState, event: RunEvent) {
  if (event.seq !== state.seq + 1) {
    throw new ForgeError(
      'invalid_event',
      `Event ${event.seq} cannot follow event ${state.seq}: the log has a gap or a repeat.`,
    );
  }
  if ((event.type === 'run.started') !== (event.seq === 1)) {
    throw new ForgeError(
      'invalid_event',
      `Event ${event.seq} is ${event.type}: a log begins with run.started, once.`,
    );
  }
  if (state.seq > 0 && event.runId !== state.runId) {
    throw new ForgeError(
      'invalid_event',
      `Event ${event.seq} belongs to run ${event.runId}, not ${state.runId}.`,
    );
  }
}

/** Between its end and what is said to it next a run has nothing to do: that time does not count. */
function timeSinceEnd({ phase, endedAt }: RunState, at: number): number {
  return phase.name === 'finished' && endedAt !== undefined ? Math.max(0, at - endedAt) : 0;
}

function historyKind(message: Message): EntryKind {
  if (message.role === 'assistant') return 'reply';
  return message.role === 'tool' ? 'result' : 'input';
}

function spend(spent: Spent, { usage, cost = 0 }: ModelReply): Spent {
  return {
    inputTokens: spent.inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: spent.outputTokens + (usage?.outputTokens ?? 0),
    cachedInputTokens: spent.cachedInputTokens + (usage?.cachedInputTokens ?? 0),
    reasoningTokens: spent.reasoningTokens + (usage?.reasoningTokens ?? 0),
    cost: spent.cost + cost,
  };
}

/** What was under way when the log was left, and is safe to do again, is to be done again. */
function startOver(
  state: RunState,
  { again, keepsApprovals = false }: Extract<RunEvent, { type: 'run.resumed' }>,
): RunState {
  const restart = (call: CallState): CallState => {
    if (call.status === 'asked' && !keepsApprovals) return { ...call, status: 'waiting' };
    if (call.status === 'running' && again.includes(call.call.id))
      return { ...call, status: 'approved' };
    return call;
  };
  let resumed: RunState = { ...state, deferred: state.deferred.map(restart) };
  for (const { call, status } of openCalls(state)) {
    if (status === 'running' && again.includes(call.id)) resumed = countRun(resumed, call.name, -1);
  }
  const { phase } = state;
  if (phase.name === 'calling' || phase.name === 'summarizing') {
    return takeInbox({ ...resumed, phase: { name: 'ready' } });
  }
  if (phase.name !== 'acting') return resumed;
  return { ...resumed, phase: { name: 'acting', calls: phase.calls.map(restart) } };
}

/** A call that is done again after a crash counts once. */
function countRun(state: RunState, tool: string, by: 1 | -1): RunState {
  const before = Object.hasOwn(state.toolRuns, tool) ? (state.toolRuns[tool] ?? 0) : 0;
  return { ...state, toolRuns: { ...state.toolRuns, [tool]: before + by } };
}

function resultMessage({
  callId,
  name,
  outcome,
  content,
}: Extract<RunEvent, { type: 'tool.finished' }>): ToolMessage {
  const failed = outcome === 'ok' ? {} : { isError: true };
  return { role: 'tool', content: [{ type: 'tool_result', callId, name, content, ...failed }] };
}

function unknownEvent(event: never): never {
  throw new ForgeError('invalid_event', `Unknown event ${JSON.stringify(event)}.`);
}
