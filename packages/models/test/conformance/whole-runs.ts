import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defineAgent, defineTool, run, textOf } from '@forge/core';
import { calls } from '@forge/core/testing';
import * as z from 'zod';
import { connect, type Subject, signal } from './subject.ts';

const add = defineTool({
  name: 'add',
  description: 'Add two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  run: ({ a, b }) => a + b,
});
const agent = defineAgent({
  name: 'adder',
  instructions: 'Add.',
  tools: [add],
  requiredSteps: ['add'],
});

/** The kernel's loop through the client: nudges, calls and results all make it there and back. */
export function wholeRuns(subject: Subject) {
  describe('a run', () => {
    for (const onDelta of [undefined, () => {}]) {
      it(`is nudged to its end (${onDelta ? 'streamed' : 'whole'})`, async (t) => {
        const { model, server } = await connect(t, subject, [
          'Sure, the sum of those is 3!',
          calls(['add', '{"a": 1, "b": "2"}', 'call_1']),
          'The sum is 3.',
        ]);
        const result = await run(agent, 'What is 1 + 2?', { model, onDelta });
        assert.equal(result.status, 'completed', result.explanation);
        assert.equal(result.output?.text, 'The sum is 3.');
        const [first, second, third] = server.requests;
        assert.equal(server.requests.length, 3);
        assert.deepEqual(
          first?.tools.map((tool) => tool.name),
          ['add'],
        );
        assert.match(second?.messages.map(textOf).join('\n') ?? '', /\[StepEnforcementError\]/);
        const results = third?.messages.flatMap((message) =>
          message.role === 'tool' ? message.content : [],
        );
        assert.deepEqual(results?.map(textOf), ['3']);
      });
    }

    it('reads calls that the model wrote as text', async (t) => {
      const { model } = await connect(t, subject, [
        '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>',
        'The sum is 3.',
      ]);
      const result = await run(agent, 'What is 1 + 2?', { model });
      assert.equal(result.output?.text, 'The sum is 3.', result.explanation);
    });
  });

  describe('the context window', () => {
    const isAsked = subject.profile.window !== 'none';
    it('is asked from the server', { skip: !isAsked && 'this provider cannot say' }, async (t) => {
      const { model } = await connect(t, subject, [], { contextLength: 12_345 });
      assert.equal(await model.contextLength({ signal }), 12_345);
    });

    it('is what the caller says it is', async (t) => {
      const { model } = await connect(t, subject, [], {
        contextLength: 12_345,
        contextTokens: 777,
      });
      assert.equal(await model.contextLength({ signal }), 777);
    });
  });
}
