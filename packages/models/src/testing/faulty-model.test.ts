import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AssistantPart,
  defineAgent,
  defineTool,
  ForgeError,
  isJsonObject,
  type Message,
  type Model,
  type ModelReply,
  type ModelRequest,
  run,
  userMessage,
} from '@forge/core';
import { calls, says } from '@forge/core/testing';
import fc from 'fast-check';
import * as z from 'zod';
import { faultyModel } from './faulty-model.ts';
import type { Mistake } from './mistakes/mistake.ts';

const { signal } = new AbortController();

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};
const request: ModelRequest = {
  messages: [userMessage('What is the weather in Oslo?')],
  tools: [{ name: 'get_forecast', description: '', inputSchema }],
  toolChoice: 'auto',
};
const afterCall: ModelRequest = {
  ...request,
  messages: [
    ...request.messages,
    { role: 'assistant', content: calls(['get_forecast', { city: 'Rome' }, 'c9']).content.slice() },
  ],
};
const right = calls(['get_forecast', { city: 'Oslo', days: 3 }]);

function always(reply: ModelReply): Model {
  return { id: 'good', complete: async () => reply };
}

/** The reply of a model that always makes this mistake, for each of some seeds. */
async function withMistake(mistake: Mistake, reply: ModelReply, asked = request) {
  const replies: ModelReply[] = [];
  for (let seed = 0; seed < 30; seed++) {
    const model = faultyModel(always(reply), { seed, rates: { [mistake]: 1 } });
    replies.push(await model.complete(asked, { signal }));
    assert.deepEqual(
      model.made.map((made) => made.mistake),
      [mistake],
    );
  }
  return replies;
}

const textsOf = ({ content }: ModelReply) =>
  content.flatMap((part) => (part.type === 'text' ? part.text : []));
const callsOf = ({ content }: ModelReply) => content.filter((part) => part.type === 'tool_call');

describe('a mistake', () => {
  it('writes a call as text, in many formats', async () => {
    const replies = await withMistake('call_as_text', right);
    for (const reply of replies) {
      assert.equal(callsOf(reply).length, 0);
      assert.match(textsOf(reply).join(), /get_forecast/);
      assert.equal(reply.finish, 'stop');
    }
    assert.ok(new Set(replies.flatMap(textsOf)).size > 8);
  });

  it('calls a tool that does not exist', async () => {
    const names = (await withMistake('wrong_tool', right))
      .flatMap(callsOf)
      .map((call) => call.name);
    assert.equal(names.length, 30);
    assert.ok(!names.includes('get_forecast'));
    assert.ok(new Set(names).size > 3);
  });

  it('gives an argument another type', async () => {
    for (const reply of await withMistake('wrong_types', right)) {
      const args = callsOf(reply)[0]?.args;
      assert.ok(isJsonObject(args));
      assert.deepEqual(Object.keys(args), ['city', 'days']);
      assert.ok(typeof args.city !== 'string' || typeof args.days !== 'number');
    }
  });

  it('leaves out an argument that is needed', async () => {
    for (const reply of await withMistake('missing_arguments', right)) {
      assert.deepEqual(callsOf(reply)[0]?.args, { days: 3 });
    }
  });

  it('talks instead of calling', async () => {
    for (const reply of await withMistake('prose', right)) {
      assert.equal(callsOf(reply).length, 0);
      assert.ok(textsOf(reply).join().length > 10);
    }
  });

  it('says nothing', async () => {
    for (const reply of await withMistake('empty', says('Rain.')))
      assert.deepEqual(reply.content, []);
  });

  it('is cut off in text and in arguments', async () => {
    for (const reply of await withMistake('truncated', says('It will rain.'))) {
      assert.equal(reply.finish, 'length');
      const text = textsOf(reply).join();
      assert.ok(text.length > 0 && text.length < 13 && 'It will rain.'.startsWith(text));
    }
    const whole = JSON.stringify({ city: 'Oslo', days: 3 });
    for (const reply of await withMistake('truncated', right)) {
      const args = callsOf(reply)[0]?.args;
      assert.ok(typeof args === 'string' && args !== whole && whole.startsWith(args));
    }
  });

  it('makes the call before once more, under another id', async () => {
    for (const reply of await withMistake('repeated', says('Rain.'), afterCall)) {
      const [call] = callsOf(reply);
      assert.deepEqual([call?.name, call?.args], ['get_forecast', { city: 'Rome' }]);
      assert.notEqual(call?.id, 'c9');
    }
  });

  it('damages the JSON of the arguments', async () => {
    const damaged = (await withMistake('damaged_json', right)).map(
      (reply) => callsOf(reply)[0]?.args,
    );
    for (const args of damaged) {
      assert.ok(typeof args === 'string');
      assert.throws(() => JSON.parse(args));
    }
    assert.ok(new Set(damaged).size > 3);
  });

  it('lets thoughts leak into the text', async () => {
    const thought: AssistantPart = { type: 'reasoning', text: 'Oslo is in Norway.' };
    const reply = { ...right, content: [thought, ...right.content] };
    for (const leaked of await withMistake('reasoning_leak', reply)) {
      assert.match(textsOf(leaked).join(), /Oslo is in Norway\..+/s);
      assert.ok(leaked.content.every((part) => part.type !== 'reasoning'));
      assert.deepEqual(callsOf(leaked), right.content);
    }
  });

  it('needs an occasion: else the reply stays as it is', async () => {
    const needCalls: Mistake[] = [
      'call_as_text',
      'wrong_tool',
      'wrong_types',
      'missing_arguments',
      'prose',
      'damaged_json',
      'repeated',
    ];
    for (const mistake of needCalls) {
      const model = faultyModel(always(says('Rain.')), { seed: 1, rates: { [mistake]: 1 } });
      assert.deepEqual(await model.complete(request, { signal }), says('Rain.'));
      assert.deepEqual(model.made, []);
    }
  });
});

describe('a faulty model', () => {
  const ask = async (seed: number, rates: number, count: number) => {
    const model = faultyModel(always(right), { seed, rates });
    const replies: ModelReply[] = [];
    for (let call = 0; call < count; call++)
      replies.push(await model.complete(afterCall, { signal }));
    return { replies, made: model.made };
  };

  it('makes the same mistakes again for the same seed, others for another', async () => {
    assert.deepEqual(await ask(1, 0.7, 40), await ask(1, 0.7, 40));
    assert.notDeepEqual((await ask(1, 0.7, 40)).made, (await ask(2, 0.7, 40)).made);
  });

  it('makes as many as it is told, of every kind, and reports each', async () => {
    const { made } = await ask(5, 0.5, 1000);
    assert.ok(made.length > 450 && made.length < 550, String(made.length));
    assert.equal(new Set(made.map(({ mistake }) => mistake)).size, 10);
    assert.deepEqual((await ask(5, 0, 50)).made, []);
  });

  it('changes a reply exactly when it says so, and never the reply it was given', async () => {
    const part = fc.oneof(
      fc.string().map((text): AssistantPart => ({ type: 'text', text })),
      fc.string().map((text): AssistantPart => ({ type: 'reasoning', text, signature: 's' })),
      fc
        .oneof(
          fc.jsonValue({ maxDepth: 2 }),
          fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 })),
        )
        .map(
          (args): AssistantPart => ({
            type: 'tool_call',
            id: 'c',
            name: 'get_forecast',
            args: JSON.parse(JSON.stringify(args)),
          }),
        ),
      fc.constant<AssistantPart>({ type: 'opaque', wire: 'ollama', value: {} }),
    );
    const reply = fc
      .tuple(fc.array(part, { maxLength: 4 }))
      .map(([content]): ModelReply => ({ content, finish: 'stop' }));
    await fc.assert(
      fc.asyncProperty(reply, fc.integer(), async (given, seed) => {
        const before = structuredClone(given);
        const model = faultyModel(always(given), { seed, rates: 1 });
        const got = await model.complete(afterCall, { signal });
        assert.deepEqual(given, before);
        if (model.made.length === 0) assert.equal(got, given);
        else assert.notDeepEqual(got, given);
      }),
    );
  });

  it('tells deltas of what it says, not of what it should have said', async () => {
    const heard: string[] = [];
    const model = faultyModel(always(says('Rain.')), { seed: 1, rates: { truncated: 1 } });
    const reply = await model.complete(request, {
      signal,
      onDelta: ({ text }) => heard.push(text),
    });
    assert.deepEqual(heard, textsOf(reply));
  });

  it('refuses rates that make no sense', () => {
    for (const rates of [1.5, -0.1, Number.NaN, { empty: 0.7, prose: 0.7 }, { empty: -1 }]) {
      assert.throws(
        () => faultyModel(always(right), { seed: 1, rates }),
        (error) => ForgeError.is(error, 'invalid_options'),
      );
    }
  });

  it('is brought to the end by the guardrails', async () => {
    const add = defineTool({
      name: 'add_numbers',
      description: 'Add two numbers',
      input: z.object({ a: z.number(), b: z.number() }),
      run: ({ a, b }) => a + b,
    });
    const agent = defineAgent({
      name: 'adder',
      tools: [add],
      requiredSteps: ['add_numbers'],
      limits: { retries: 8 },
    });
    const good: Model = { id: 'good', complete: async ({ messages }) => addThenAnswer(messages) };
    let mistakes = 0;
    for (let seed = 0; seed < 20; seed++) {
      const model = faultyModel(good, { seed, rates: 0.5 });
      const result = await run(agent, 'What is 1 + 2?', { model });
      assert.equal(result.status, 'completed', `seed ${seed}: ${result.explanation}`);
      mistakes += model.made.length;
    }
    assert.ok(mistakes > 10, String(mistakes));
  });
});

function addThenAnswer(messages: readonly Message[]): ModelReply {
  const hasSum = messages.some(
    (message) =>
      message.role === 'tool' && message.content.some((result) => result.isError !== true),
  );
  return hasSum
    ? says('The sum is 3.')
    : calls(['add_numbers', { a: 1, b: 2 }, `c${messages.length}`]);
}
