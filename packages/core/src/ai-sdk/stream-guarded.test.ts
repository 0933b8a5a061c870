import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { wrapLanguageModel } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { guardrailsMiddleware } from './guardrails-middleware.ts';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const finishReason = { unified: 'stop', raw: 'stop' } as const;
const finish: LanguageModelV4StreamPart = { type: 'finish', finishReason, usage };
const reply = (...content: LanguageModelV4Content[]): LanguageModelV4GenerateResult => ({
  content,
  finishReason,
  usage,
  warnings: [],
});
const hermes =
  '<tool_call>{"name": "get_forecast", "arguments": {"city": "Oslo", "days": "2"}}</tool_call>';

describe('a guarded stream', () => {
  const block = (id: string, ...deltas: string[]): LanguageModelV4StreamPart[] => [
    { type: 'text-start', id, providerMetadata: { mock: { item: id } } },
    ...deltas.map((delta) => ({ type: 'text-delta' as const, id, delta })),
    { type: 'text-end', id },
  ];

  it('keeps several blocks of text apart, each opened and closed once', async () => {
    const { parts } = await raw([...block('a', 'It ', 'will '), ...block('b', 'rain.'), finish]);
    const blocks = parts.filter((part) => part.type === 'text-start' || part.type === 'text-end');
    assert.deepEqual(
      blocks.map((part) => `${part.type} ${part.id}`),
      ['text-start a', 'text-end a', 'text-start b', 'text-end b'],
    );
    assert.deepEqual(blocks[2]?.providerMetadata, { mock: { item: 'b' } });
    assert.equal(textIn(parts), 'It will rain.');
    wellFormed(parts);
  });

  it('shows all text once, whatever blocks a call and its markup are spread over', async () => {
    const cut = Math.floor(hermes.length / 2);
    const spread = [
      [
        ...block('a', 'Look. '),
        ...block('b', hermes.slice(0, cut)),
        ...block('c', hermes.slice(cut)),
      ],
      [...block('a', 'Look. <tool'), ...block('b', ' that is not a call, 1 < 2.')],
      [...block('a', '{"a": 1'), ...block('b', '} is JSON.')],
      [...block('a', ''), ...block('b', 'x')],
    ];
    const texts = ['Look.', 'Look. <tool that is not a call, 1 < 2.', '{"a": 1} is JSON.', 'x'];
    for (const [index, source] of spread.entries()) {
      const { parts } = await raw([...source, finish]);
      assert.equal(textIn(parts).trim(), texts[index]);
      wellFormed(parts);
    }
  });

  it('gives another try’s text a block of its own', async () => {
    const { parts } = await raw(
      [
        ...block('a', 'Wait. '),
        { type: 'tool-call', toolCallId: 'c', toolName: 'no', input: '{}' },
        finish,
      ],
      [reply({ type: 'text', text: 'One.' }, { type: 'text', text: 'One.' }, source)],
    );
    assert.equal(textIn(parts), 'Wait.One.One.');
    assert.ok(parts.some((part) => part.type === 'source'));
    wellFormed(parts);
  });

  it('hands on the provider’s own tools as they come, once', async () => {
    const own: LanguageModelV4StreamPart[] = [
      {
        type: 'tool-call',
        toolCallId: 'p',
        toolName: 'search',
        input: '{}',
        providerExecuted: true,
      },
      { type: 'tool-result', toolCallId: 'p', toolName: 'search', result: { found: 1 } },
      source,
    ];
    for (const rest of [[], block('a', 'Found.')]) {
      const { parts, mock } = await raw([...own, ...rest, finish]);
      assert.deepEqual(
        parts.filter((part) => own.includes(part)),
        own,
      );
      assert.equal(mock.doGenerateCalls.length, 0);
      wellFormed(parts);
    }
  });

  it('neither asks again nor lets calls out after an error, but shows the text', async () => {
    const call: LanguageModelV4StreamPart = {
      type: 'tool-call',
      toolCallId: 'c',
      toolName: 'get_forecast',
      input: '{"city": "Oslo", "days": 1}',
    };
    const error: LanguageModelV4StreamPart = { type: 'error', error: new Error('overloaded') };
    const { parts, mock } = await raw([...block('a', 'Half <tool_'), call, error, finish]);
    assert.equal(mock.doGenerateCalls.length, 0);
    assert.equal(textIn(parts), 'Half <tool_');
    assert.ok(!parts.some((part) => part.type === 'tool-call'));
    assert.ok(parts.includes(error) && parts.at(-1) === finish);
    wellFormed(parts);
  });

  it('shows held text of a stream that breaks off', async () => {
    const { parts } = await raw([
      { type: 'text-start', id: 'a' },
      { type: 'text-delta', id: 'a', delta: 'Half <tool_' },
    ]);
    assert.equal(textIn(parts), 'Half <tool_');
    wellFormed(parts);
  });

  it('shows markup as text where the request forbids calls', async () => {
    const said = `A ${hermes} B`;
    const { parts } = await raw([...block('a', ...said), finish], [], { type: 'none' });
    assert.equal(textIn(parts), said);
    wellFormed(parts);
  });

  it('ends with the abort when that comes while it asks again', async () => {
    const stop = new AbortController();
    const mock = new MockLanguageModelV4({
      doStream: async () => ({
        stream: simulateReadableStream({ chunks: [...block('a', ''), finish] }),
      }),
      doGenerate: async ({ abortSignal }) => {
        stop.abort();
        abortSignal?.throwIfAborted();
        return reply({ type: 'text', text: 'too late' });
      },
    });
    const model = wrapLanguageModel({ model: mock, middleware: guardrailsMiddleware() });
    const { stream: guarded } = await model.doStream({
      prompt: [],
      tools: [forecast],
      abortSignal: stop.signal,
    });
    await assert.rejects(collect(guarded), { name: 'AbortError' });
  });

  const source = {
    type: 'source',
    sourceType: 'url',
    id: 's',
    url: 'https://example.com',
  } as const;
  const forecast = {
    type: 'function',
    name: 'get_forecast',
    inputSchema: { type: 'object' },
  } as const;

  /** The stream itself, as the SDK would read it. */
  async function raw(
    chunks: LanguageModelV4StreamPart[],
    retries: LanguageModelV4GenerateResult[] = [],
    toolChoice?: { type: 'none' },
  ) {
    const mock = new MockLanguageModelV4({
      doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
      doGenerate: retries,
    });
    const model = wrapLanguageModel({ model: mock, middleware: guardrailsMiddleware() });
    const { stream: guarded } = await model.doStream({ prompt: [], tools: [forecast], toolChoice });
    return { mock, parts: await collect(guarded) };
  }

  async function collect(guarded: ReadableStream<LanguageModelV4StreamPart>) {
    const parts: LanguageModelV4StreamPart[] = [];
    for await (const part of guarded) parts.push(part);
    return parts;
  }

  const textIn = (parts: LanguageModelV4StreamPart[]) =>
    parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');

  /** Blocks open once, are written to only while open, and are all closed. */
  function wellFormed(parts: LanguageModelV4StreamPart[]) {
    const used = new Set<string>();
    const open = new Set<string>();
    for (const part of parts) {
      if (part.type === 'text-start') {
        assert.ok(!used.has(part.id), `${part.id} is opened twice`);
        used.add(part.id);
        open.add(part.id);
      }
      if (part.type === 'text-delta') assert.ok(open.has(part.id), `${part.id} is not open`);
      if (part.type === 'text-end') assert.ok(open.delete(part.id), `${part.id} was not open`);
    }
    assert.equal(open.size, 0);
  }
});
