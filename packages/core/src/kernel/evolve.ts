import { append, emptyList, itemsOf, listOf } from '../append-list.ts';
import { applyCompaction } from '../context/apply-compaction.ts';
import { calibrate } from '../context/calibration.ts';
import type { ContextEntry, EntryKind } from '../context/entry.ts';
import { estimateMessageTokens } from '../context/estimate-tokens.ts';
import { applySummary } from '../context/summary.ts';
import { ForgeError } from '../errors.ts';
import { factsAfterEdit } from '../guardrails/facts.ts';
import { type CallOutcome, noteAccepted, noteBatch, noteRefusal } from '../guardrails/progress.ts';
import { type Message, type ToolMessage, textOf, userMessage } from '../messages/message.ts';
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
      return startOver(state, event);
    case 'run.paused':
      return { ...state, paused: true };
    case 'run.continued':
      // Whoever lets it go on has seen where it stands: the turns count anew.
      return { ...state, paused: false, turnOfInput: state.turn };
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
      return changeCall(state, event.callId, (call) =>
        call.status === 'done' ? call : { ...call, status: 'running', args: event.args },
      );
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
  const resumed = { ...state, deferred: state.deferred.map(restart) };
  const { phase } = state;
  if (phase.name === 'calling' || phase.name === 'summarizing') {
    return takeInbox({ ...resumed, phase: { name: 'ready' } });
  }
  if (phase.name !== 'acting') return resumed;
  return { ...resumed, phase: { name: 'acting', calls: phase.calls.map(restart) } };
}

/** The call of that id that has no result yet: of this turn, else of an earlier one. */
function openCall({ phase, deferred }: RunState, callId: string): CallState | undefined {
  const calls = phase.name === 'acting' ? [...phase.calls, ...deferred] : deferred;
  return calls.find(({ call, status }) => call.id === callId && status !== 'done');
}

function changeCall(
  state: RunState,
  callId: string,
  change: (call: CallState) => CallState,
): RunState {
  const open = openCall(state, callId);
  if (open === undefined) return state;
  const changed = (calls: readonly CallState[]) =>
    calls.map((call) => (call === open ? change(call) : call));
  if (state.deferred.includes(open)) return { ...state, deferred: changed(state.deferred) };
  if (state.phase.name !== 'acting') return state;
  return { ...state, phase: { name: 'acting', calls: changed(state.phase.calls) } };
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

/** The run goes on without these calls: at once if they are slow, else when there is news. */
function defer(state: RunState, callIds: readonly string[], reason: 'slow' | 'waiting'): RunState {
  const { phase } = state;
  if (phase.name !== 'acting') return state;
  const leaves = (call: CallState) => call.status !== 'done' && callIds.includes(call.call.id);
  const left = phase.calls.filter(leaves);
  if (left.length === 0) return state;
  const stay = phase.calls.filter((call) => !leaves(call));
  const next: RunState = {
    ...state,
    deferred: [...state.deferred, ...left],
    hasNews: state.hasNews || reason === 'slow',
    phase: { name: 'acting', calls: stay },
  };
  return afterBatch(next);
}

/**
 * A result that the run did not wait for. It stands at its call; a model that has been asked since
 * is told that it is there.
 */
function afterLateResult(before: RunState, done: CallState): RunState {
  const { call, outcome, content = [], turn } = done;
  const seen = before.turn > turn;
  const note = `[LateResult] The result of ${call.name} is there now. It stands at its call.`;
  const noted = seen ? push(before, 'nudge', userMessage(note)) : before;
  const state: RunState = {
    ...noted,
    deferred: noted.deferred.filter((each) => each.call.id !== call.id),
    progress: noteBatch(noted.progress, [outcomeOf(done)]),
  };
  if (isBusy(state)) return { ...state, hasNews: state.hasNews || wakes(done) };
  if (call.terminal && outcome === 'ok') {
    const output = { text: textOf({ content }), call: { name: call.name, args: done.args } };
    return { ...state, output, phase: { name: 'done', reason: 'terminal_tool' } };
  }
  return wakes(done) ? takeInbox({ ...state, hasNews: true }) : state;
}

function wakes({ call, outcome }: CallState): boolean {
  return call.triggers || outcome !== 'ok';
}

/** Input and news that came, perhaps while the run was busy, go on the window now and wake the run. */
function takeInbox(state: RunState): RunState {
  if (state.inbox.length === 0 && !state.hasNews) return state;
  return {
    ...pushInputs(state, state.inbox),
    inbox: [],
    hasNews: false,
    turnOfInput: state.inbox.length > 0 ? state.turn : state.turnOfInput,
    phase: { name: 'ready' },
  };
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
  return takeInbox({ ...settled, phase: { name: calls.some(wakes) ? 'ready' : 'idle' } });
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
