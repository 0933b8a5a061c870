import assert from 'node:assert/strict';
import type { JsonObject, JsonValue, Program, ProgramCall, ProgramStep } from '@forge/core';

/** What becomes of a call: the value it hands on, or why it fails. */
export type Answer = (call: ProgramCall, nth: number) => { value: JsonValue } | { failure: string };

export interface Simulated {
  readonly calls: readonly ProgramCall[];
  readonly end: Exclude<ProgramStep, { type: 'call' }>;
  /** Everything the program was shown, and what it said. */
  readonly steps: readonly { view: Parameters<Program>[0]; step: ProgramStep }[];
  readonly mostOpen: number;
  /** Ids in the order they began. */
  readonly ids: readonly string[];
}

/** Goes on with a program until it ends. `pick` says which of the open calls end next. */
export function simulate(
  program: Program,
  {
    input,
    answer,
    pick = () => [0],
  }: {
    readonly input: JsonObject;
    readonly answer: Answer;
    readonly pick?: (open: number) => readonly number[];
  },
): Simulated {
  const calls: ProgramCall[] = [];
  const steps: { view: Parameters<Program>[0]; step: ProgramStep }[] = [];
  let mostOpen = 0;
  for (let count = 0; count < 5_000; count++) {
    const view = { input: [JSON.stringify(input)], calls: structuredClone(calls) };
    const step = program(view);
    steps.push({ view, step });
    if (step.type !== 'call')
      return { calls, end: step, steps, mostOpen, ids: calls.map(({ id }) => id) };
    calls.push(...step.calls.map((call) => ({ ...call, status: 'open' as const, text: '' })));
    const open = calls.flatMap(({ status }, index) => (status === 'open' ? [index] : []));
    mostOpen = Math.max(mostOpen, open.length);
    assert.ok(open.length > 0, 'it waits, and nothing is under way');
    for (const chosen of new Set(pick(open.length))) {
      const index = open[chosen % open.length] ?? 0;
      const call = calls[index];
      assert.ok(call);
      const result = answer(call, calls.filter(({ name }) => name === call.name).indexOf(call));
      calls[index] =
        'value' in result
          ? { ...call, status: 'ok', text: JSON.stringify(result.value) }
          : { ...call, status: 'failed', text: `[ToolError] ${result.failure}` };
    }
  }
  return assert.fail('it does not end');
}

/** The JSON a pipeline ended with. */
export function resultOf({ end }: Simulated): {
  success: boolean;
  nodes: { id: string; round: number; attempts: number; status: string }[];
  output: { [name: string]: JsonValue };
} {
  assert.equal(end.type, 'finish', JSON.stringify(end));
  return JSON.parse(end.type === 'finish' ? end.output : '');
}
