import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type RescueResult, type RescueTool, rescueToolCalls } from './rescue-tool-calls.ts';

interface Case {
  readonly id: string;
  readonly raw: string;
  readonly tools?: readonly RescueTool[];
  readonly expected: {
    readonly calls: unknown;
    readonly content?: string;
    readonly reasoning?: string;
    readonly partial?: unknown;
    readonly rejected?: unknown;
    readonly precision?: string;
    readonly id?: string;
  };
}

function fixture(name: string): string {
  return readFileSync(new URL(`./__fixtures__/${name}`, import.meta.url), 'utf8');
}

const formats: readonly Case[] = JSON.parse(fixture('tool-call-formats.json'));
interface Table {
  readonly tools: readonly RescueTool[];
  readonly cases: readonly Case[];
}
const siblings: Table = JSON.parse(fixture('siblings.json'));
const cousins: Table = JSON.parse(fixture('cousins.json'));
const fromSuites: Table = JSON.parse(fixture('from-parser-suites.json'));

function check(result: RescueResult, expected: Case['expected']): void {
  const calls = result.calls.map(({ name, args }) => ({ name, args }));
  assert.deepEqual(calls, expected.calls);
  const { content, reasoning, partial, rejected, id, precision } = expected;
  if (content !== undefined) assert.equal(result.content, content);
  if (reasoning !== undefined) assert.equal(result.reasoning, reasoning);
  if (partial !== undefined) {
    assert.deepEqual(result.partial, partial);
    assert.equal(result.truncated, true);
  }
  if (rejected !== undefined) assert.deepEqual(result.rejected, rejected);
  if (id !== undefined) assert.equal(result.calls[0]?.id, id);
  if (precision !== undefined) {
    assert.ok(precision.endsWith(result.calls[0]?.argsText ?? '?'), result.calls[0]?.argsText);
  }
}

describe('formats seen in the wild', () => {
  for (const { id, raw, tools = [], expected } of formats) {
    it(id, () => check(rescueToolCalls(raw, tools), expected));
  }
});

describe('their siblings', () => {
  for (const { id, raw, expected } of siblings.cases) {
    it(id, () => check(rescueToolCalls(raw, siblings.tools), expected));
  }
});

// Written by someone who had not read the scanner.
describe('their cousins', () => {
  for (const { id, raw, expected } of cousins.cases) {
    it(id, () => check(rescueToolCalls(raw, cousins.tools), expected));
  }
});

// What the parsers of inference servers are tested with, reworded, and siblings of our own. Where we
// are stricter (a cut, a call in unclosed reasoning), the expectation is ours.
describe('what other parsers are tested with', () => {
  for (const { id, raw, expected } of fromSuites.cases) {
    it(id, () => check(rescueToolCalls(raw, fromSuites.tools), expected));
  }
});

const forecast: RescueTool = {
  name: 'get_forecast',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
};

describe('rescueToolCalls', () => {
  const call = '{"name": "get_forecast", "arguments": {"city": "Oslo", "days": 3}}';

  it('takes every shape of a tool list', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } };
    const shapes: readonly RescueTool[] = [
      { name: 'get_forecast', inputSchema: schema },
      { name: 'get_forecast', parameters: schema },
      { name: 'get_forecast' },
      { type: 'function', function: { name: 'get_forecast', parameters: schema } },
      { type: 'function', function: { name: 'get_forecast' } },
    ];
    for (const tool of shapes) assert.equal(rescueToolCalls(call, [tool]).calls.length, 1);
  });

  it('keeps the text of the arguments where it was valid', () => {
    const text = '{ "city":"Oslo",\n"days" : 12345678901234567890 }';
    const [found] = rescueToolCalls(`<tool_call>{"name":"get_forecast","arguments":${text}}`, [
      forecast,
    ]).calls;
    assert.equal(found?.argsText, text);
    assert.deepEqual(found?.repairs, []);
  });

  it('writes the text of the arguments anew where it was mended or coerced', () => {
    const mended = rescueToolCalls('{"name":"get_forecast","arguments":{"city":"Oslo",}}', [
      forecast,
    ]);
    assert.equal(mended.calls[0]?.argsText, '{"city":"Oslo"}');
    assert.deepEqual(mended.calls[0]?.repairs, ['trailing_comma']);
    const coerced = rescueToolCalls(
      '{"name":"get_forecast","arguments":{"city":"Oslo","days":"3"}}',
      [forecast],
    );
    assert.equal(coerced.calls[0]?.argsText, '{"city":"Oslo","days":3}');
    assert.deepEqual(coerced.calls[0]?.repairs, ['coerced:days']);
  });

  it('leaves a reply without markers as it is', () => {
    assert.deepEqual(rescueToolCalls(' Hello. \n', [forecast]), {
      calls: [],
      content: 'Hello.',
      reasoning: '',
      truncated: false,
      rejected: [],
    });
  });

  it('never calls a tool that is not in the list', () => {
    const none = rescueToolCalls(`<tool_call>${call}</tool_call>`, []);
    assert.deepEqual(none.calls, []);
    assert.deepEqual(none.rejected, [{ name: 'get_forecast', reason: 'unknown tool' }]);
    const bare = rescueToolCalls(call, []);
    assert.deepEqual([bare.calls, bare.rejected, bare.content], [[], [], call]);
  });

  it('resolves names by prefix, then without case and separators if that is unique', () => {
    const tools = [forecast, { name: 'get-Forecast' }];
    const named = (name: string): readonly string[] =>
      rescueToolCalls(`{"name": "${name}", "arguments": {"city": "x"}}`, tools).calls.map(
        (c) => c.name,
      );
    assert.deepEqual(named('get-Forecast'), ['get-Forecast']);
    assert.deepEqual(named('functions.get_forecast'), ['get_forecast']);
    assert.deepEqual(named('GetForecast'), []);
    const [loose] = rescueToolCalls(call.replace('get_forecast', 'GetForecast'), [forecast]).calls;
    assert.deepEqual(loose?.repairs, ['name']);
  });

  it('knows tools named like keywords, with dots, slashes and other scripts', () => {
    for (const name of ['name', 'function', 'print', 'think', 'a.b/c', '天気', 'tool_call', 'to']) {
      const tools = [{ name }];
      const tagged = `<tool_call>${JSON.stringify({ name, arguments: { a: 1 } })}</tool_call>`;
      assert.deepEqual(
        rescueToolCalls(tagged, tools).calls.map((c) => c.name),
        [name],
      );
    }
  });

  it('keeps __proto__ a plain key', () => {
    const raw =
      '<tool_call>{"name":"get_forecast","arguments":{"city":"x","__proto__":{"polluted":1}}}';
    const [found] = rescueToolCalls(raw, [forecast]).calls;
    assert.equal(Object.hasOwn(found?.args ?? {}, '__proto__'), true);
    assert.equal(Object.getPrototypeOf(found?.args), Object.prototype);
    assert.equal(({} as { polluted?: number }).polluted, undefined);
  });

  it('does not act on what rests on an invented result', () => {
    const raw = `<tool_call>${call}</tool_call>\n<tool_response>21</tool_response>\n<tool_call>{"name":"get_forecast","arguments":{"city":"Rome"}}</tool_call>`;
    const { calls, rejected, content } = rescueToolCalls(raw, [forecast]);
    assert.equal(calls.length, 1);
    assert.deepEqual(rejected, [{ name: 'get_forecast', reason: 'after an invented result' }]);
    assert.equal(content, '');
  });

  it('works with a thousand tools', () => {
    const tools = Array.from({ length: 1000 }, (_, i) => ({ name: `tool_${i}` }));
    const { calls } = rescueToolCalls('tool_777({"a": 1})', tools);
    assert.deepEqual(
      calls.map((c) => c.name),
      ['tool_777'],
    );
  });

  it('survives a schema that is none', () => {
    const tools = [{ name: 'f', parameters: { type: 'nonsense', $ref: 'http://elsewhere' } }];
    assert.deepEqual(rescueToolCalls('{"name":"f","arguments":{"a":1}}', tools).calls[0]?.args, {
      a: 1,
    });
  });
});
