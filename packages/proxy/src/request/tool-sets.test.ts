import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGuard, createSchemaCache, freshProgress, judgeReply } from '@forge/core';
import { ModelError, type Wire, wires } from '@forge/models';
import { peekRequest } from './peek-request.ts';
import { createToolSets, type ToolSets } from './tool-sets.ts';

const schemas = createSchemaCache({ max: 100 });
const wanted = new Set(['tools']);
const chat = wires['openai-chat'];

function toolSets(limits: { max?: number; maxBytes?: number } = {}): ToolSets {
  return createToolSets({ max: 100, maxBytes: 1_000_000, ...limits, compile: schemas.get });
}

function get(sets: ToolSets, tools: unknown, wire: Wire = chat) {
  const bytes = Buffer.from(JSON.stringify(tools));
  return sets.get(wire, bytes, [0, bytes.length]);
}

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const;

function chatTool(name: string) {
  return { type: 'function', function: { name, description: 'd', parameters } };
}

function chatTools(...names: string[]) {
  return names.map(chatTool);
}

function judge(set: ReturnType<typeof get>, args: string) {
  const guard = set.guard('auto', (tools) => createGuard({ tools }));
  const call = { type: 'tool_call' as const, id: '1', name: 'weather', args };
  return judgeReply(guard, freshProgress, { content: [call], finish: 'tool_calls' }, 'x').kind;
}

/** The tool `weather` on every wire, beside whatever else that wire lets one offer. */
const offered: Readonly<Record<Wire['name'], { tools: unknown; others: readonly string[] }>> = {
  'openai-chat': {
    tools: [
      chatTool('weather'),
      { type: 'custom', custom: { name: 'patch', format: { type: 'text' } } },
      { type: 'web_search' },
    ],
    others: ['patch', 'web_search'],
  },
  'openai-responses': {
    tools: [
      { type: 'function', name: 'weather', parameters, strict: null },
      { type: 'web_search_preview' },
      { type: 'custom', name: 'apply_patch', description: 'd' },
      { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find', parameters }] },
    ],
    others: ['web_search_preview', 'apply_patch', 'crm', 'find'],
  },
  'anthropic-messages': {
    tools: [
      { name: 'weather', input_schema: parameters },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
    ],
    others: ['web_search'],
  },
  gemini: {
    tools: [
      { functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] },
      { googleSearch: {} },
    ],
    others: [],
  },
  ollama: { tools: [chatTool('weather'), { type: 'other' }], others: ['other'] },
};

describe('tool sets', () => {
  for (const wire of Object.values(wires)) {
    it(`reads and guards the tools of ${wire.name}`, () => {
      const { tools, others } = offered[wire.name];
      const set = get(toolSets(), tools, wire);
      assert.deepEqual(
        set.specs.map(({ name }) => name),
        ['weather'],
      );
      assert.deepEqual(
        set.tools.map(({ spec }) => spec),
        set.specs,
      );
      assert.deepEqual([...set.others], others);
      assert.equal(judge(set, '{"city":"Oslo"}'), 'execute');
      assert.equal(judge(set, '{"town":7}'), 'retry');
    });

    it(`takes null and an empty list as no tools on ${wire.name}`, () => {
      for (const tools of [null, []]) assert.deepEqual(get(toolSets(), tools, wire).tools, []);
    });

    it(`says that JSON is broken on ${wire.name}`, () => {
      const bytes = Buffer.from('[1,,]');
      assert.throws(
        () => toolSets().get(wire, bytes, [0, bytes.length]),
        (error: unknown) => error instanceof ModelError && error.kind === 'bad_request',
      );
    });
  }

  it('gives the same set for the same bytes and wire, and no other', () => {
    const sets = toolSets();
    const first = get(sets, chatTools('a', 'b'));
    assert.equal(get(sets, chatTools('a', 'b')), first);
    assert.notEqual(get(sets, chatTools('a', 'c')), first);
    assert.notEqual(get(sets, chatTools('a', 'b'), wires.ollama), first);
    assert.equal(get(sets, chatTools('a', 'b')), first);
    assert.equal(sets.size, 3);
  });

  it('shares a compiled schema between sets', () => {
    const sets = toolSets();
    const [one] = get(sets, chatTools('a')).tools;
    const [other] = get(sets, chatTools('b')).tools;
    assert.equal(one?.schema, other?.schema);
  });

  it('keeps the first of two tools with one name, and none without', () => {
    const second = { type: 'function', function: { name: 'a', parameters: { type: 'array' } } };
    const set = get(toolSets(), [...chatTools('a', 'b'), second]);
    assert.deepEqual(
      set.specs.map(({ name }) => name),
      ['a', 'b'],
    );
    assert.deepEqual(set.specs[0]?.inputSchema, parameters);
    assert.doesNotThrow(() => set.guard('k', (tools) => createGuard({ tools })));
    assert.deepEqual(get(toolSets(), [{ function: {} }], wires.ollama).tools, []);
  });

  it('reads functions as they were before tools had types', () => {
    const set = get(toolSets(), [{ name: 'weather', parameters }]);
    assert.equal(judge(set, '{"city":"Oslo"}'), 'execute');
  });

  it('takes schemas of every kind', () => {
    const kinds = [
      true,
      null,
      { type: 'no such type' },
      { type: ['object', 'null'] },
      {
        $ref: '#/$defs/x',
        $defs: { x: { type: 'object', properties: { x: { $ref: '#/$defs/x' } } } },
      },
      { type: 'object', properties: { a: true, b: { type: ['string', 'null'] } } },
    ];
    const tools = kinds.map((schema, n) => ({
      type: 'function',
      function: { name: `t${n}`, parameters: schema },
    }));
    assert.equal(get(toolSets(), tools).tools.length, kinds.length);
  });

  it('lets the wire say what is wrong, and remembers nothing of it', () => {
    const sets = toolSets();
    for (const tools of [{}, 'x', [1], [{ type: 'function' }]]) {
      assert.throws(
        () => get(sets, tools),
        (error: unknown) => error instanceof ModelError && error.kind === 'bad_request',
      );
    }
    const deep = Buffer.from(`[${'['.repeat(50_000)}${']'.repeat(50_000)}]`);
    assert.throws(() => sets.get(chat, deep, [0, deep.length]), ModelError);
    assert.equal(sets.size, 0);
  });

  it('takes a thousand tools', () => {
    const sets = toolSets();
    const tools = Array.from({ length: 1_000 }, (_, n) => chatTool(`tool_${n}`));
    assert.equal(get(sets, tools).tools.length, 1_000);
    assert.equal(get(sets, tools), get(sets, tools));
  });

  it('lets go of the set not asked for the longest, by count', () => {
    const sets = toolSets({ max: 2 });
    const a = get(sets, chatTools('a'));
    const b = get(sets, chatTools('b'));
    assert.equal(get(sets, chatTools('a')), a);
    get(sets, chatTools('c'));
    assert.equal(sets.size, 2);
    assert.equal(get(sets, chatTools('a')), a);
    assert.notEqual(get(sets, chatTools('b')), b);
  });

  it('holds no more bytes than it may', () => {
    const { length } = JSON.stringify(chatTools('a'));
    const sets = toolSets({ maxBytes: 2 * length + 1 });
    for (const name of ['a', 'b', 'c']) get(sets, chatTools(name));
    assert.equal(sets.size, 2);
    assert.equal(sets.bytes, 2 * length);
    const large = get(sets, chatTools('a', 'b', 'c'));
    assert.equal(large.tools.length, 3);
    assert.equal(sets.bytes, 2 * length);
    assert.throws(() => toolSets({ max: 0 }), /max of at least 1/);
  });

  it('keeps its own copy of the bytes', () => {
    const sets = toolSets();
    const bytes = Buffer.from(JSON.stringify(chatTools('a')));
    const set = sets.get(chat, bytes, [0, bytes.length]);
    bytes.fill(0);
    assert.equal(get(sets, chatTools('a')), set);
  });

  it('knows the end of tools it has seen, wherever they stand', () => {
    const sets = toolSets();
    const asked: (number | undefined)[] = [];
    const seen = (names: string[], before: string) => {
      const bytes = Buffer.from(
        `{"model":"${before}","tools":${JSON.stringify(chatTools(...names))},"n":1}`,
      );
      const peek = peekRequest(bytes, wanted, (_, start) => {
        const end = sets.skipKnown(bytes, start);
        asked.push(end);
        return end;
      });
      const span = peek?.span('tools');
      assert.ok(span !== undefined);
      assert.deepEqual(peek?.value('tools'), chatTools(...names));
      return { set: sets.get(chat, bytes, span), end: span[1] };
    };
    const first = seen(['a', 'b'], 'x');
    const again = seen(['a', 'b'], 'another model');
    assert.equal(again.set, first.set);
    assert.deepEqual(asked, [undefined, again.end]);
    seen(['a'], 'x');
    seen(['a', 'c'], 'x');
    assert.deepEqual(asked.slice(2), [undefined, undefined]);
  });

  it('does not take a longer word or a cut list for one it knows', () => {
    const sets = toolSets();
    get(sets, null);
    get(sets, chatTools('a'));
    const list = JSON.stringify(chatTools('a'));
    assert.equal(sets.skipKnown(Buffer.from('nullable'), 0), undefined);
    assert.equal(sets.skipKnown(Buffer.from(list.slice(0, -1)), 0), undefined);
    assert.equal(sets.skipKnown(Buffer.from(list), 1), undefined);
    assert.equal(sets.skipKnown(Buffer.from(list), 0), list.length);
  });

  it('makes a guard once for each key, and keeps sixteen', () => {
    const set = get(toolSets(), chatTools('a'));
    let made = 0;
    const guard = (key: string) =>
      set.guard(key, (tools) => {
        made++;
        return createGuard({ tools });
      });
    const first = guard('0');
    assert.equal(guard('0'), first);
    for (let n = 1; n < 16; n++) guard(String(n));
    assert.equal(guard('0'), first);
    assert.equal(made, 16);
    guard('16');
    assert.equal(guard('0'), first);
    assert.equal(made, 17);
    guard('1');
    assert.equal(made, 18);
  });
});
