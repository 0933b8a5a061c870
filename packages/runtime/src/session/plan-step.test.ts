import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineProgram, defineTool } from '@forge/core';
import { ScriptedModel } from '@forge/core/testing';
import type { Append } from '@forge/store';
import { ground } from '../approvals/ground.test.ts';

test('a run that decides for long without waiting is written in parts', async () => {
  const denied = defineTool({
    name: 'denied',
    description: 'Never runs.',
    input: { type: 'object' },
    run: () => assert.fail('It ran.'),
  });
  const stubborn = defineProgram({
    name: 'stubborn',
    tools: [denied],
    program: ({ calls }) =>
      calls.length < 600
        ? { type: 'call', calls: [{ id: `c${calls.length}`, name: 'denied', args: {} }] }
        : { type: 'finish', output: 'enough' },
  });
  const { store, runtime, rules, work } = await ground([stubborn]);
  await rules.add({ effect: 'deny', pattern: 'denied', scope: 'always', by: 'ann' });
  const sizes: number[] = [];
  const append = (step: Append) => {
    sizes.push(step.happenings.length);
    return store.append(step);
  };
  work(new ScriptedModel([]), { store: { ...store, append } });
  await runtime.launch('stubborn', 'Go.', { id: 's' });
  assert.equal((await runtime.ended('s')).state.output?.text, 'enough');
  assert.ok(sizes.length > 2, String(sizes));
  assert.ok(Math.max(...sizes) < 1_100, String(sizes));
});
