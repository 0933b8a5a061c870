import { factsAfterEdit } from '../guardrails/facts.ts';
import { type CallOutcome, noteBatch } from '../guardrails/progress.ts';
import { textOf, userMessage } from '../messages/message.ts';
import { push, pushInputs } from './change-window.ts';
import type { CallState, RunState } from './state.ts';

/** Between a request and the end of what it led to, input has to wait its turn. */
export function isBusy({ phase }: RunState): boolean {
  return ['calling', 'replied', 'acting', 'summarizing'].includes(phase.name);
}

/** Input and news that came, perhaps while the run was busy, go on the window now and wake the run. */
export function takeInbox(state: RunState): RunState {
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
export function afterBatch(state: RunState): RunState {
  if (state.phase.name !== 'acting') return state;
  const { calls } = state.phase;
  if (calls.some((call) => call.status !== 'done')) return state;
  const settled: RunState = { ...state, progress: noteBatch(state.progress, calls.map(outcomeOf)) };
  const terminal = calls.find(endsRun);
  if (terminal !== undefined) return finishedBy(settled, terminal);
  return takeInbox({ ...settled, phase: { name: calls.some(wakes) ? 'ready' : 'idle' } });
}

/** The run goes on without these calls: at once if they are slow, else when there is news. */
export function defer(
  state: RunState,
  callIds: readonly string[],
  reason: 'slow' | 'waiting',
): RunState {
  const { phase } = state;
  if (phase.name !== 'acting') return state;
  const named = new Set(callIds);
  const leaves = (call: CallState) => call.status !== 'done' && named.has(call.call.id);
  const left = phase.calls.filter(leaves);
  if (left.length === 0) return state;
  return afterBatch({
    ...state,
    deferred: [...state.deferred, ...left],
    hasNews: state.hasNews || reason === 'slow',
    phase: { name: 'acting', calls: phase.calls.filter((call) => !leaves(call)) },
  });
}

/**
 * A result that the run did not wait for. It stands at its call; a model that has been asked since
 * is told that it is there.
 */
export function afterLateResult(before: RunState, done: CallState): RunState {
  const { call, turn } = done;
  const seen = before.turn > turn;
  const note = `[LateResult] The result of ${call.name} is there now. It stands at its call.`;
  const noted = seen ? push(before, 'nudge', userMessage(note)) : before;
  const state: RunState = {
    ...noted,
    deferred: noted.deferred.filter((each) => each.call.id !== call.id),
    progress: noteBatch(noted.progress, [outcomeOf(done)]),
  };
  if (isBusy(state)) return { ...state, hasNews: state.hasNews || wakes(done) };
  if (endsRun(done)) return finishedBy(state, done);
  return wakes(done) ? takeInbox({ ...state, hasNews: true }) : state;
}

function endsRun({ call, outcome }: CallState): boolean {
  return call.terminal && outcome === 'ok';
}

function finishedBy(state: RunState, { call, args, content = [] }: CallState): RunState {
  const output = { text: textOf({ content }), call: { name: call.name, args } };
  return { ...state, output, phase: { name: 'done', reason: 'terminal_tool' } };
}

function wakes({ call, outcome }: CallState): boolean {
  return call.triggers || outcome !== 'ok';
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
