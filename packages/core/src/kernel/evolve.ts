import { append, emptyList, itemsOf, listOf } from '../append-list.ts';
import { applyCompaction } from '../context/apply-compaction.ts';
import { calibrate } from '../context/calibration.ts';
import type { ContextEntry, EntryKind } from '../context/entry.ts';
import { estimateMessageTokens } from '../context/estimate-tokens.ts';
import { applySummary } from '../context/summary.ts';
import { ForgeError } from '../errors.ts';
import { factsAfterEdit } from '../guardrails/facts.ts';
import { type CallOutcome, noteAccepted, noteBatch, noteRefusal } from '../guardrails/progress.ts';
import { type Message, textOf } from '../messages/message.ts';
import type { ModelReply } from '../models.ts';
import type { RunEvent } from './events.ts';
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
      return takeInbox({ ...state, inbox: [...state.inbox, ...event.messages] });
    case 'run.resumed':
      return startOver(state, event.again);
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
          calls: event.calls.map((call) => ({ call, status: 'waiting', args: call.args })),
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
    case 'tool.started':
      return changeCall(state, event.callId, (call) =>
        call.status === 'done' ? call : { ...call, status: 'running', args: event.args },
      );
    case 'tool.finished': {
      if (!isOpen(state, event.callId)) return state; // A result that came twice, or too late.
      const { outcome, content } = event;
      const result = push(state, 'result', {
        role: 'tool',
        content: [
          {
            type: 'tool_result',
            callId: event.callId,
            name: event.name,
            content,
            ...(outcome === 'ok' ? {} : { isError: true }),
          },
        ],
      });
      return afterBatch(
        changeCall(result, event.callId, (call) => ({ ...call, status: 'done', outcome, content })),
      );
    }
    case 'run.finished': {
      const { status, reason, explanation } = event;
      return { ...state, phase: { name: 'finished', status, reason, explanation } };
    }
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

/** Between a request and the end of what it led to, input has to wait its turn. */
function isBusy({ phase }: RunState): boolean {
  return ['calling', 'replied', 'acting', 'summarizing'].includes(phase.name);
}

function historyKind(message: Message): EntryKind {
  if (message.role === 'assistant') return 'reply';
  return message.role === 'tool' ? 'result' : 'input';
}

function push(state: RunState, kind: EntryKind, message: Message): RunState {
  const entry: ContextEntry = { id: state.nextEntry, kind, turn: state.turn, message };
  return {
    ...state,
    window: append(state.window, entry),
    windowTokens: state.windowTokens + estimateMessageTokens(message),
    nextEntry: state.nextEntry + 1,
  };
}

function pushInputs(state: RunState, messages: readonly Message[]): RunState {
  return messages.reduce((next, message) => push(next, 'input', message), state);
}

/** The window was rewritten: count it again. */
function rewindow(state: RunState, window: readonly ContextEntry[]): RunState {
  return {
    ...state,
    window: listOf(window),
    windowTokens: window.reduce((sum, entry) => sum + estimateMessageTokens(entry.message), 0),
  };
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
function startOver(state: RunState, again: readonly string[]): RunState {
  const { phase } = state;
  if (phase.name === 'calling' || phase.name === 'summarizing') {
    return takeInbox({ ...state, phase: { name: 'ready' } });
  }
  if (phase.name !== 'acting') return state;
  const calls = phase.calls.map((call): CallState => {
    if (call.status === 'asked') return { ...call, status: 'waiting' };
    if (call.status === 'running' && again.includes(call.call.id))
      return { ...call, status: 'approved' };
    return call;
  });
  return { ...state, phase: { name: 'acting', calls } };
}

function isOpen({ phase }: RunState, callId: string): boolean {
  if (phase.name !== 'acting') return false;
  return phase.calls.some(({ call, status }) => call.id === callId && status !== 'done');
}

function changeCall(
  state: RunState,
  callId: string,
  change: (call: CallState) => CallState,
): RunState {
  if (state.phase.name !== 'acting') return state;
  const calls = state.phase.calls.map((call) => (call.call.id === callId ? change(call) : call));
  return { ...state, phase: { name: 'acting', calls } };
}

/** Input that came, perhaps while the run was busy, goes on the window now and wakes the run. */
function takeInbox(state: RunState): RunState {
  if (state.inbox.length === 0) return state;
  return { ...pushInputs(state, state.inbox), inbox: [], phase: { name: 'ready' } };
}

/** Moves on once the last call of the batch has ended. */
function afterBatch(state: RunState): RunState {
  if (state.phase.name !== 'acting') return state;
  const { calls } = state.phase;
  if (calls.some((call) => call.status !== 'done')) return state;
  const settled: RunState = { ...state, progress: noteBatch(state.progress, calls.map(outcomeOf)) };
  const terminal = calls.find((call) => call.call.terminal && call.outcome === 'ok');
  if (terminal !== undefined) {
    const output = {
      text: textOf({ content: terminal.content ?? [] }),
      call: { name: terminal.call.name, args: terminal.args },
    };
    return { ...settled, output, phase: { name: 'done', reason: 'terminal_tool' } };
  }
  const wakes = calls.some((call) => call.call.triggers || call.outcome !== 'ok');
  return takeInbox({ ...settled, phase: { name: wakes ? 'ready' : 'idle' } });
}

function outcomeOf({ call, args, outcome, content }: CallState): CallOutcome {
  const known = outcome === 'ok' || outcome === 'error' || outcome === 'not_found';
  return {
    name: call.name,
    args,
    facts: args === call.args ? call.facts : factsAfterEdit(call, args),
    outcome: known ? outcome : 'other',
    output: textOf({ content: content ?? [] }),
  };
}

function unknownEvent(event: never): never {
  throw new ForgeError('invalid_event', `Unknown event ${JSON.stringify(event)}.`);
}
