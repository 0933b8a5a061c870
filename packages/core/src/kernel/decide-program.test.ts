import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import { defineProgram } from '../agents/define-program.ts';
import type { Program, ProgramView } from '../agents/program.ts';
import { run } from '../run/run.ts';
import { ScriptedModel } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { decide } from './decide.ts';
import type { Happening, RunEvent } from './events.ts';
import { evolve } from './evolve.ts';
import { initialState, type RunState } from './state.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => {
    if (a < 0) throw new Error('only what is not negative');
    return String(a + b);
  },
});

const nobody = new ScriptedModel([]);
const programOf = (program: Program, tools = [add]) =>
  defineProgram({ name: 'sums', tools, program });

/** Folds what is decided, as a driver does, until it waits for somebody outside. */
function driveFrom(agent: ReturnType<typeof programOf>, state: RunState): RunState {
  let at = state;
  for (;;) {
    const effects = decide(agent, at);
    const said = effects.flatMap((effect): readonly Happening[] => {
      if (effect.type === 'record') return effect.happenings;
      if (effect.type !== 'await_result') return [];
      const { callId, name, args, idempotencyKey } = effect;
      return [{ type: 'tool.started', callId, name, args, idempotencyKey }];
    });
    if (said.length === 0) return at;
    at = tell(at, ...said);
  }
}

function tell(state: RunState, ...happenings: readonly Happening[]): RunState {
  return happenings.reduce(
    (at, happening) => evolve(at, stamped({ ...happening }, at.seq + 1)),
    state,
  );
}

function stamped(happening: Happening, seq: number): RunEvent {
  return { v: 1, runId: 'r', seq, at: seq, ...happening };
}

const begun = (): RunState =>
  tell(initialState, {
    type: 'run.started',
    agent: 'sums',
    history: [],
    input: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
    budget: 1000,
    budgetSource: 'manual',
    reasoningReplay: 'none',
  });

const finished = (callId: string, text: string, outcome: 'ok' | 'error' = 'ok'): Happening => ({
  type: 'tool.finished',
  callId,
  name: 'ask',
  outcome,
  content: [{ type: 'text', text }],
});

describe('a program', () => {
  it('calls tools, is asked again with what came of them, and ends with its own words', async () => {
    const agent = programOf(({ input, calls: [first, second] }) => {
      if (first === undefined)
        return { type: 'call', calls: [{ id: 'one', name: 'add', args: { a: 1, b: 2 } }] };
      if (second === undefined) {
        const args = { a: Number(first.text), b: 4 };
        return { type: 'call', calls: [{ id: 'two', name: 'add', args }] };
      }
      return { type: 'finish', output: `${input[0]}: ${second.text}` };
    });
    const result = await run(agent, 'sum', { model: nobody });
    assert.equal(result.status, 'completed');
    assert.equal(result.output?.text, 'sum: 7');
    assert.equal(nobody.requests.length, 0);
  });

  it('sees that a call failed, and why', async () => {
    const agent = programOf(({ calls: [call] }) => {
      if (call === undefined)
        return { type: 'call', calls: [{ id: 'one', name: 'add', args: { a: -1, b: 2 } }] };
      return { type: 'fail', explanation: `${call.status}: ${call.text}` };
    });
    const result = await run(agent, 'sum', { model: nobody });
    assert.equal(result.status, 'failed');
    assert.equal(result.reason, 'program_failed');
    assert.match(result.explanation, /failed: .*only what is not negative/);
  });

  it('that waits for nothing is ended and not left to hang', async () => {
    const agent = programOf(() => ({ type: 'call', calls: [] }));
    assert.equal((await run(agent, 'sum', { model: nobody })).reason, 'program_failed');
  });

  it('that goes round in circles ends at its limit of turns', async () => {
    const agent = defineProgram({
      name: 'circles',
      tools: [add],
      limits: { turns: 3 },
      program: ({ calls }) => {
        const args = { a: 1, b: calls.length };
        return { type: 'call', calls: [{ id: `c${calls.length}`, name: 'add', args }] };
      },
    });
    const result = await run(agent, 'sum', { model: nobody });
    assert.equal(result.reason, 'turn_limit');
    assert.equal(result.turns, 3);
  });

  it('may end though it has no turns left', async () => {
    const agent = defineProgram({
      name: 'one',
      tools: [add],
      limits: { turns: 1 },
      program: ({ calls: [call] }) =>
        call === undefined
          ? { type: 'call', calls: [{ id: 'c', name: 'add', args: { a: 1, b: 1 } }] }
          : { type: 'finish', output: call.text },
    });
    assert.equal((await run(agent, 'sum', { model: nobody })).output?.text, '2');
  });

  it('whose call does not fit its tool ends, without another try', async () => {
    const agent = programOf(() => ({
      type: 'call',
      calls: [{ id: 'one', name: 'add', args: { a: 'x' } }],
    }));
    const result = await run(agent, 'sum', { model: nobody });
    assert.equal(result.status, 'failed');
    assert.equal(result.reason, 'retries_exhausted');
  });

  it('is asked again at each result from outside, whatever else is open', () => {
    const ask = defineTool({ name: 'ask', description: 'Asks.', input: z.object({}) });
    const views: ProgramView[] = [];
    const agent = programOf(
      (view) => {
        views.push(view);
        if (view.calls.length === 0) {
          const calls = ['a', 'b'].map((id) => ({ id, name: 'ask', args: {} }));
          return { type: 'call', calls };
        }
        const isDone = view.calls.every(({ status }) => status !== 'open');
        const c = { id: 'c', name: 'ask', args: {} };
        if (view.calls.length === 2 && view.calls[1]?.status === 'ok') {
          return { type: 'call', calls: [c] };
        }
        return isDone ? { type: 'finish', output: 'done' } : { type: 'call', calls: [] };
      },
      [ask],
    );
    let state = driveFrom(agent, begun());
    state = driveFrom(agent, tell(state, finished('b', 'late b')));
    assert.deepEqual(
      state.deferred.map(({ call }) => call.id),
      ['a', 'c'],
    );
    state = driveFrom(agent, tell(state, finished('a', 'no', 'error')));
    state = driveFrom(agent, tell(state, finished('c', 'late c')));
    assert.equal(state.phase.name, 'finished');
    assert.equal(state.output?.text, 'done');
    assert.deepEqual(
      views.at(-1)?.calls.map(({ id, status, text }) => [id, status, text]),
      [
        ['a', 'failed', 'no'],
        ['b', 'ok', 'late b'],
        ['c', 'ok', 'late c'],
      ],
    );
  });
});
