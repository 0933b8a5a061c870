import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { defineAgent } from '../agents/define-agent.ts';
import { itemsOf } from '../append-list.ts';
import { pairingViolations } from '../context/pairing-rules.ts';
import type { AssistantPart } from '../messages/message.ts';
import { textOf } from '../messages/message.ts';
import type { FinishReason, ModelReply } from '../models.ts';
import { run } from '../run/run.ts';
import { calls, ScriptedModel, says } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { fold } from './evolve.ts';

const dump = defineTool({
  name: 'dump',
  description: 'Returns much text',
  input: { type: 'object', properties: { lines: { type: 'integer' } }, required: ['lines'] },
  run: ({ lines }) => 'a line of text that says little\n'.repeat(Number(lines)),
});

describe('the context of a request', () => {
  it('cuts a huge new result before it is sent, and says so in the log', async () => {
    const agent = defineAgent({ name: 'a', tools: [dump], context: { tokens: 2_000 } });
    const model = new ScriptedModel([calls(['dump', { lines: 10_000 }]), 'ok']);
    const result = await run(agent, 'Go', { model });
    assert.equal(result.status, 'completed', result.explanation);
    const sent = model.requests[1]?.messages.at(-1);
    assert.equal(sent?.role, 'tool');
    const text = sent?.role === 'tool' ? textOf(sent.content[0] ?? { content: [] }) : '';
    assert.ok(text.length < 3_000, `${text.length} characters were sent`);
    assert.match(text, /characters removed/);
    assert.ok(
      result.events.some(
        (event) => event.type === 'context.compacted' && event.tier === 'cut_results',
      ),
    );
  });

  it('stays within its budget over a long run, with valid pairs and the first input kept', async () => {
    const agent = defineAgent({
      name: 'a',
      instructions: 'Be brief.',
      tools: [dump],
      context: { tokens: 1_500 },
      limits: { turns: 100 },
    });
    const model = new ScriptedModel([
      ...Array.from({ length: 60 }, (_, n) => calls(['dump', { lines: 5 + (n % 7) }, `id-${n}`])),
      'done',
    ]);
    const result = await run(agent, 'Remember the word walrus.', { model });
    assert.equal(result.status, 'completed', result.explanation);
    assert.ok(result.events.some((event) => event.type === 'context.compacted'));
    for (const [n, request] of model.requests.entries()) {
      assert.match(textOf(request.messages[1] ?? { content: [] }), /walrus/);
      for (const provider of ['openai', 'anthropic', 'gemini'] as const) {
        assert.deepEqual(pairingViolations(provider, request.messages), [], `request ${n}`);
      }
    }
    const largest = result.events.reduce(
      (most, event) =>
        event.type === 'model.requested' ? Math.max(most, event.estimatedTokens) : most,
      0,
    );
    assert.ok(largest <= 1_500, `${largest} tokens`);
    assert.ok(itemsOf(fold(result.events).window).length < 60);
  });

  it('ends with context_overflow and the reason when nothing more can go', async () => {
    const agent = defineAgent({ name: 'a', context: { tokens: 500 } });
    const model = new ScriptedModel(['never asked']);
    const result = await run(agent, 'word '.repeat(2_000), { model });
    assert.equal(result.reason, 'context_overflow');
    assert.match(result.explanation, /budget is 500.*input/);
    assert.equal(model.requests.length, 0);
  });

  it('sends everything with compaction off', async () => {
    const agent = defineAgent({
      name: 'a',
      context: { tokens: 500 },
      guardrails: { compaction: false },
    });
    const model = new ScriptedModel(['ok']);
    const result = await run(agent, 'word '.repeat(2_000), { model });
    assert.equal(result.status, 'completed');
  });

  it('warns the model once as space gets short, in that request only', async () => {
    const agent = defineAgent({
      name: 'a',
      tools: [dump],
      context: { tokens: 2_000, warnings: [{ at: 0.15, text: (percent) => `[${percent}% full]` }] },
    });
    const model = new ScriptedModel([
      calls(['dump', { lines: 50 }]),
      calls(['dump', { lines: 1 }]),
      'ok',
    ]);
    await run(agent, 'Go', { model });
    const last = model.requests.map((request) =>
      textOf(request.messages.at(-1) ?? { content: [] }),
    );
    assert.match(last[1] ?? '', /^\[\d+% full\]$/);
    assert.doesNotMatch(last[2] ?? '', /full/);
  });

  it('summarises when it can, and goes on without when that fails', async () => {
    const conversation = (summarize: () => Promise<string>) => {
      const agent = defineAgent({
        name: 'a',
        tools: [dump],
        context: { tokens: 1_200, summarize },
        limits: { turns: 50 },
      });
      const model = new ScriptedModel([
        ...Array.from({ length: 30 }, (_, n) => ({
          ...calls(['dump', { lines: 6 + (n % 5) }, `id-${n}`]),
          content: [
            { type: 'text' as const, text: `Step ${n}. `.repeat(20) },
            {
              type: 'tool_call' as const,
              id: `id-${n}`,
              name: 'dump',
              args: { lines: 6 + (n % 5) },
            },
          ],
        })),
        'done',
      ]);
      return run(agent, 'Go', { model });
    };
    const good = await conversation(async () => 'Some steps were taken.');
    assert.equal(good.status, 'completed', good.explanation);
    assert.ok(good.events.some((event) => event.type === 'context.summarized'));
    const bad = await conversation(async () => {
      throw new Error('summariser is down');
    });
    assert.equal(bad.status, 'completed', bad.explanation);
    assert.ok(bad.events.some((event) => event.type === 'context.summary_failed'));
  });
});

describe('any reply at all', () => {
  const name = fc.oneof(
    fc.constantFrom('echo', 'Echo', 'functions.echo', 'finish', ''),
    fc.string(),
  );
  const args = fc.oneof(fc.jsonValue(), fc.json(), fc.string(), fc.string({ unit: 'binary' }));
  const part: fc.Arbitrary<AssistantPart> = fc.oneof(
    fc.record({
      type: fc.constant('text' as const),
      text: fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })),
    }),
    fc.record({ type: fc.constant('reasoning' as const), text: fc.string() }),
    fc.record({
      type: fc.constant('tool_call' as const),
      id: fc.string({ maxLength: 3 }),
      name,
      args,
    }) as fc.Arbitrary<AssistantPart>,
  );
  const finish = fc.constantFrom<FinishReason>(
    'stop',
    'tool_calls',
    'length',
    'content_filter',
    'other',
  );
  const reply: fc.Arbitrary<ModelReply> = fc.record({
    content: fc.array(part, { maxLength: 5 }),
    finish,
  });

  it('ends the run in order, and runs only tools of the list with arguments that fit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { maxLength: 12 }), async (replies) => {
        const ran: unknown[] = [];
        const echo = defineTool({
          name: 'echo',
          description: '',
          input: {
            type: 'object',
            properties: { text: { type: 'string' }, n: { type: 'integer' } },
            required: ['text'],
            additionalProperties: false,
          },
          run: (given) => {
            ran.push(given);
          },
        });
        const finishTool = defineTool({
          name: 'finish',
          description: '',
          input: { type: 'object' },
          run: () => '',
        });
        const agent = defineAgent({
          name: 'a',
          tools: [echo, finishTool],
          requiredSteps: ['echo'],
          terminalTools: ['finish'],
        });
        const result = await run(agent, 'Go', { model: new ScriptedModel(replies) });
        assert.ok(['completed', 'failed'].includes(result.status));
        for (const given of ran) assert.ok(echo.schema.accepts(given));
        for (const event of result.events) {
          if (event.type === 'tool.started') assert.ok(['echo', 'finish'].includes(event.name));
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('a reply that nests without end', () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const replies = {
    'as JSON text': calls(['dump', deep]),
    'as an object': calls(['dump', JSON.parse(deep)]),
    'in a tag': says(`<tool_call>{"name": "dump", "arguments": ${deep}}</tool_call>`),
    'as a string in a tag': says(
      `<tool_call>{"name": "dump", "arguments": ${JSON.stringify(deep)}}</tool_call>`,
    ),
  };
  for (const [how, reply] of Object.entries(replies)) {
    it(`is refused ${how}`, async () => {
      for (const guardrails of [{}, { repairs: false }, { arguments: false }]) {
        const open = {
          ...dump,
          schema: defineTool({ name: 'x', description: '', input: { type: 'object' } }).schema,
        };
        const agent = defineAgent({ name: 'a', tools: [open], guardrails });
        const result = await run(agent, 'Go', { model: new ScriptedModel([reply, 'ok']) });
        assert.equal(result.status, 'completed', result.explanation);
        assert.ok(result.events.some((event) => event.type === 'reply.refused'));
      }
    });
  }
});
