import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRescueStream } from './rescue-stream.ts';
import { type RescueTool, rescueToolCalls } from './rescue-tool-calls.ts';
import { splitReasoning } from './split-reasoning.ts';

const store: RescueTool = { name: 'store', parameters: { type: 'object' } };
const write: RescueTool = {
  name: 'write_file',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
};
const tools: readonly RescueTool[] = [store, write, { name: 'ping' }];
const names = new Set(['store', 'write_file', 'ping']);

function fixture(name: string): string {
  return readFileSync(new URL(`./__fixtures__/${name}`, import.meta.url), 'utf8');
}

interface Case {
  readonly raw: string;
}
const formats: readonly Case[] = JSON.parse(fixture('tool-call-formats.json'));
const fromSuites: { cases: readonly Case[]; tools: readonly RescueTool[] } = JSON.parse(
  fixture('from-parser-suites.json'),
);
const raws = [...formats, ...fromSuites.cases].map(({ raw }) => raw);

function checkShape(text: string): void {
  const result = rescueToolCalls(text, tools);
  for (const { name, args, argsText } of [...result.calls]) {
    assert.ok(names.has(name));
    assert.ok(typeof args === 'object' && args !== null && !Array.isArray(args));
    assert.ok(typeof JSON.parse(argsText) === 'object');
  }
  if (result.partial !== undefined) assert.ok(names.has(result.partial.name));
  assert.equal(result.content, result.content.trim());
  splitReasoning(text);
}

/** Pieces of every grammar the scanner knows, in any order. */
const piece = fc.constantFrom(
  ...'{ } [ ] ( ) < > " \' ` , : ; = | \\ \n'.split(' '),
  '```',
  '```json\n',
  '```python\n',
  '<tool_call>',
  '</tool_call>',
  '<think>',
  '</think>',
  '[TOOL_CALLS]',
  '[ARGS]',
  '[THINK]',
  '[/THINK]',
  'store',
  'ping',
  'write_file',
  '"name"',
  '"arguments"',
  '{"name": "ping", "arguments": {',
  '<function=store>',
  '<parameter=a>',
  '</parameter>',
  '</function>',
  '<|channel|>',
  'commentary to=functions.ping',
  '<|message|>',
  '<|call|>',
  '<arg_key>',
  '</arg_key>',
  '<arg_value>',
  '</arg_value>',
  'Action: ',
  'Action Input: ',
  'Thought: ',
  'Observation: ',
  '✿FUNCTION✿',
  '◁think▷',
  '>>>',
  '<|open|>',
  '<|sep|>',
  '<invoke name="ping">',
  '</invoke>',
  '<ping>',
  '</ping>',
  '...',
  'ping(',
  'a=1',
  '/*',
  '//',
  '#',
  '"""',
  '<![CDATA[',
  ']]>',
  '<tool_response>',
  '&quot;',
  '<function(ping)>',
  '<|turn>model',
  '<turn|>',
  '<|im_assistant|>assistant<|im_middle|>',
  '<|start|>assistant',
  ' to=ping',
  '<|"|>',
  '<tool_call|>',
  '<|tool_call>call:ping',
  'Calling ping with ',
  '>>>all\n',
  '<answer>',
  '<|close|>message<|sep|>',
  'Action: ping[x]',
  'paramĠname="a"',
  '07',
  ' ',
  '1',
  'é',
  '\ud800',
  '\0',
);

describe('for any text', () => {
  it('gives a well-formed result', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), checkShape), {
      numRuns: 300,
    });
  });

  it('gives a well-formed result for pieces of its own grammars', () => {
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(fc.property(text, checkShape), { numRuns: 1500 });
  });

  it('gives a well-formed result for calls with one character wrong', () => {
    const mutated = fc
      .tuple(
        fc.constantFrom(...raws),
        fc.nat(),
        fc.constantFrom('delete', 'double', 'insert'),
        piece,
      )
      .map(([raw, at, how, extra]) => {
        const i = raw.length === 0 ? 0 : at % raw.length;
        if (how === 'delete') return raw.slice(0, i) + raw.slice(i + 1);
        return raw.slice(0, i) + (how === 'double' ? raw.charAt(i) : extra) + raw.slice(i);
      });
    fc.assert(fc.property(mutated, checkShape), { numRuns: 1500 });
  });
});

/** Values that are not themselves gaps to be filled, which are refused on purpose. */
const isPlain = (args: object): boolean => !/\.\.\.|…|<|\{\{|\[|YOUR_/.test(JSON.stringify(args));

const jsonArgs = fc
  .dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 5,
  })
  .map((args): object => JSON.parse(JSON.stringify(args)));

const named = (args: string): string => `{"name": "store", "arguments": ${args}}`;

const renderings: Record<string, (args: string) => string> = {
  hermes: (args) => `<tool_call>\n${named(args)}\n</tool_call>`,
  'hermes, unclosed': (args) => `Sure.\n<tool_call>${named(args)}`,
  'bare JSON': named,
  'parameters key': (args) => `{"name": "store", "parameters": ${args}}`,
  fence: (args) => `I will store it.\n\`\`\`json\n${named(args)}\n\`\`\``,
  'mistral list': (args) => `[TOOL_CALLS][${named(args)}]`,
  'mistral args': (args) => `[TOOL_CALLS]store[ARGS]${args}`,
  'arguments as a string': (args) => `{"name": "store", "arguments": ${JSON.stringify(args)}}`,
  'openai envelope': (args) =>
    `{"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "store", "arguments": ${JSON.stringify(args)}}}]}`,
  kimi: (args) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.store:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
  deepseek: (args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>store\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  harmony: (args) =>
    `<|channel|>commentary to=functions.store <|constrain|>json<|message|>${args}<|call|>`,
  'function tag': (args) => `<function=store>${args}</function>`,
  react: (args) => `Thought: I must.\nAction: store\nAction Input: ${args}\nObservation:`,
  'qwen-agent': (args) => `✿FUNCTION✿: store\n✿ARGS✿: ${args}\n✿RESULT✿`,
  functionary: (args) => `>>>store\n${args}`,
  python: (args) => `store(${args})`,
};

describe('a call with any JSON for arguments', () => {
  for (const [format, render] of Object.entries(renderings)) {
    it(`comes back from ${format}`, () => {
      fc.assert(
        fc.property(jsonArgs.filter(isPlain), fc.boolean(), (args, pretty) => {
          const json = JSON.stringify(args, null, pretty ? 2 : 0);
          const { calls } = rescueToolCalls(render(json), tools);
          assert.deepEqual(
            calls.map((call) => [call.name, call.args]),
            [['store', args]],
          );
          if (format !== 'python') assert.equal(calls[0]?.argsText, json);
        }),
        { numRuns: 120 },
      );
    });
  }
});

const fileText = fc
  .string({ maxLength: 60 })
  .filter(
    (text) =>
      !/<\/?(?:param|arg|func|tool|invoke)|\r|^\s*<!\[CDATA|^\.\.\.$|&/.test(text) &&
      !/^\s*…?\s*$/.test(text),
  );

const tagRenderings: Record<string, (path: string, content: string) => string> = {
  'qwen3-coder': (path, content) =>
    `<tool_call>\n<function=write_file>\n<parameter=path>\n${path}\n</parameter>\n<parameter=content>\n${content}\n</parameter>\n</function>\n</tool_call>`,
  glm: (path, content) =>
    `<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>${path}</arg_value>\n<arg_key>content</arg_key>\n<arg_value>${content}</arg_value>\n</tool_call>`,
  invoke: (path, content) =>
    `<function_calls>\n<invoke name="write_file">\n<parameter name="path">${path}</parameter>\n<parameter name="content">${content}</parameter>\n</invoke>\n</function_calls>`,
};

describe('a call with any text in tags', () => {
  for (const [format, render] of Object.entries(tagRenderings)) {
    it(`comes back from ${format}`, () => {
      fc.assert(
        fc.property(fileText.filter(noEdges), fileText.filter(noEdges), (path, content) => {
          const { calls } = rescueToolCalls(render(path, content), tools);
          const unfilled = calls.length === 0 && /^[<[{].*[>\]}]$/.test(path + content);
          if (!unfilled)
            assert.deepEqual(
              calls.map((call) => call.args),
              [{ path, content }],
            );
        }),
        { numRuns: 200 },
      );
    });
  }
});

function noEdges(text: string): boolean {
  return text === text.trim();
}

describe('streaming', () => {
  /** Its text may turn out to be reasoning after it has come out as content. */
  const isOrphan = (raw: string): boolean =>
    /<\/(?:\w+:)?think|\[\/THINK\]|FINAL RESPONSE|thought_end|END_THINKING|◁\/|close\|>think/i.test(
      raw,
    );

  it('gives the same result character by character', () => {
    for (const { raw } of fromSuites.cases) {
      const stream = createRescueStream(fromSuites.tools);
      let content = '';
      for (const character of raw) content += stream.push(character).content;
      const whole = rescueToolCalls(raw, fromSuites.tools);
      assert.deepEqual(stream.end(), whole);
      if (!isOrphan(raw)) assert.ok(whole.content.startsWith(content), raw);
    }
  });

  it('gives the same result however the reply is cut, and never takes content back', () => {
    const source = fc.oneof(
      fc.constantFrom(...raws),
      fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(
        source,
        fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }),
        (raw, sizes) => {
          const stream = createRescueStream(tools);
          let content = '';
          let reasoning = '';
          let at = 0;
          for (const size of [...sizes, raw.length]) {
            const delta = stream.push(raw.slice(at, at + size));
            content += delta.content;
            reasoning += delta.reasoning;
            at += size;
          }
          const whole = rescueToolCalls(raw, tools);
          assert.deepEqual(stream.end(), whole);
          if (isOrphan(raw)) return;
          assert.ok(whole.content.startsWith(content), `${content} | ${whole.content}`);
          assert.ok(whole.reasoning.startsWith(reasoning), `${reasoning} | ${whole.reasoning}`);
        },
      ),
      { numRuns: 1500 },
    );
  });
});
