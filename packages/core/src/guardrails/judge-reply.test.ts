import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import type { ModelReply } from '../models.ts';
import { calls, says } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { createGuard, type GuardOptions } from './create-guard.ts';
import { judgeReply } from './judge-reply.ts';
import { freshProgress, type Progress } from './progress.ts';
import type { Verdict } from './verdict.ts';

const fetchSales = defineTool({
  name: 'fetch_sales',
  description: 'Sales of a quarter',
  input: z.object({ quarter: z.int().min(1).max(4), region: z.string().optional() }),
  run: () => '',
});
const readFile = defineTool({
  name: 'read_file',
  description: 'Read',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  run: () => '',
});
const writeFile = defineTool({
  name: 'write_file',
  description: 'Write',
  input: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  prerequisites: [{ tool: 'read_file', match: 'path' }],
  run: () => '',
});
const report = defineTool({
  name: 'report',
  description: 'Finish',
  input: { type: 'object', properties: { text: { type: 'string' } } },
  run: () => '',
});
const tools = [fetchSales, readFile, writeFile, report];
const workflow: GuardOptions = { tools, requiredSteps: ['fetch_sales'], terminalTools: ['report'] };

function judge(
  reply: ModelReply,
  options: GuardOptions = { tools },
  progress: Partial<Progress> = {},
) {
  return judgeReply(createGuard(options), { ...freshProgress, ...progress }, reply, 'call_7');
}

function nudged(verdict: Verdict): string[] {
  assert.ok(verdict.kind === 'retry' || verdict.kind === 'blocked', `was ${verdict.kind}`);
  return verdict.nudges.map((nudge) => {
    const [part] = nudge.content;
    if (part?.type === 'text') return part.text;
    const [said] = part?.type === 'tool_result' ? part.content : [];
    return said?.type === 'text' ? said.text : '';
  });
}

describe('what a reply comes to', () => {
  it('runs a clean native call and keeps its id', () => {
    const verdict = judge(calls(['fetch_sales', '{"quarter": 2}', 'toolu_1']));
    assert.equal(verdict.kind, 'execute');
    assert.ok(verdict.kind === 'execute');
    assert.deepEqual(
      verdict.calls.map(({ id, name, args }) => ({ id, name, args })),
      [{ id: 'toolu_1', name: 'fetch_sales', args: { quarter: 2 } }],
    );
    assert.equal(verdict.source, 'native');
    assert.deepEqual(verdict.mended, []);
  });

  it('takes plain text for an answer where nothing asks for a call', () => {
    const verdict = judge(says('Sales went up.'));
    assert.ok(verdict.kind === 'answer');
    assert.equal(verdict.text, 'Sales went up.');
  });

  it('rescues a call from text and says how it was found', () => {
    const verdict = judge(
      says('<tool_call>\n{"name": "fetch_sales", "arguments": {"quarter": "2",}}\n</tool_call>'),
    );
    assert.ok(verdict.kind === 'execute');
    assert.equal(verdict.source, 'rescued');
    assert.deepEqual(verdict.calls[0]?.args, { quarter: 2 });
    assert.equal(verdict.calls[0]?.id, 'call_7_1');
    assert.ok(verdict.mended.length > 1);
  });

  it('leaves text alone with rescue off, and with toolChoice none', () => {
    const reply = says(
      '<tool_call>{"name": "fetch_sales", "arguments": {"quarter": 2}}</tool_call>',
    );
    assert.equal(judge(reply, { tools, guardrails: { rescue: false } }).kind, 'answer');
    assert.equal(judge(reply, { tools, toolChoice: 'none' }).kind, 'answer');
  });

  it('keeps text and reasoning beside a native call', () => {
    const verdict = judge({
      content: [
        { type: 'reasoning', text: 'hm', signature: 'sig' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_call', id: 'a', name: 'fetch_sales', args: { quarter: 1 } },
      ],
      finish: 'tool_calls',
    });
    assert.ok(verdict.kind === 'execute');
    assert.deepEqual(
      verdict.message.content.map((part) => part.type),
      ['reasoning', 'text', 'tool_call'],
    );
    assert.equal(verdict.text, 'Let me look.');
  });

  it('gives calls without an id, or with the same id twice, an id of their own', () => {
    const verdict = judge(
      calls(
        ['read_file', { path: 'a' }, ''],
        ['read_file', { path: 'b' }, 'x'],
        ['read_file', { path: 'c' }, 'x'],
      ),
    );
    assert.ok(verdict.kind === 'execute');
    assert.deepEqual(
      verdict.calls.map((call) => call.id),
      ['call_7_1', 'x', 'call_7_3'],
    );
  });

  it('keeps the digits of integers that JavaScript cannot hold', () => {
    const lookup = defineTool({
      name: 'lookup',
      description: '',
      input: { type: 'object', properties: { id: { type: 'integer' } } },
      run: () => '',
    });
    const verdict = judge(calls(['lookup', '{"id": 12345678901234567890}']), { tools: [lookup] });
    assert.ok(verdict.kind === 'execute');
    const part = verdict.message.content[0];
    assert.equal(part?.type === 'tool_call' && part.argsText, '{"id": 12345678901234567890}');
  });
});

describe('a reply that is no good is refused with a nudge', () => {
  it('names the closest tool when the tool does not exist', () => {
    const [said] = nudged(judge(calls(['fetchSale', { quarter: 1 }])));
    assert.match(
      said ?? '',
      /\[UnknownTool\] There is no tool "fetchSale". Did you mean fetch_sales\?/,
    );
  });

  it('quotes the path and keeps what the model got right in the example', () => {
    const [said] = nudged(judge(calls(['fetch_sales', { quarter: 'spring', region: 'EMEA' }])));
    assert.match(said ?? '', /quarter: /);
    assert.match(said ?? '', /A right call: fetch_sales\(\{"quarter":\d,"region":"EMEA"\}\)/);
  });

  it('does not repeat arguments the model made up', () => {
    const [said] = nudged(judge(calls(['read_file', { file: 'a', mode: 'fast' }])));
    assert.match(said ?? '', /A right call: read_file\(\{"path":"[^"]*"\}\)/);
  });

  it('answers every call of the batch, so that no call is left without a result', () => {
    const verdict = judge(calls(['read_file', { path: 'a' }], ['nope', {}]));
    const [first, second] = nudged(verdict);
    assert.match(first ?? '', /^\[NotRun\] read_file was not run/);
    assert.match(second ?? '', /^\[UnknownTool\]/);
  });

  it('asks again for an empty reply, and an empty list of calls', () => {
    assert.match(nudged(judge(says('')))[0] ?? '', /\[EmptyReply\]/);
    assert.match(nudged(judge({ content: [], finish: 'tool_calls' }))[0] ?? '', /\[EmptyReply\]/);
  });

  it('takes what only a wire understands for something, though it holds no words', () => {
    const content = [{ type: 'opaque' as const, wire: 'x', value: { type: 'web_search_call' } }];
    for (const toolChoice of ['auto', 'required'] as const) {
      const verdict = judge({ content, finish: 'stop' }, { tools, toolChoice });
      assert.equal(verdict.kind, 'answer');
    }
  });

  it('asks for something shorter when the length limit cut the reply', () => {
    const text = judge({ content: [{ type: 'text', text: 'Well, in the beg' }], finish: 'length' });
    assert.match(nudged(text)[0] ?? '', /\[CutOff\].*shorter/);
    const call = judge({
      ...calls(['write_file', '{"path": "a", "content": "lorem ip']),
      finish: 'length',
    });
    assert.match(nudged(call)[0] ?? '', /\[CutOff\] Your call to write_file was cut off/);
    // Complete so far, but what was still to come nobody knows.
    for (const reply of [
      calls(['read_file', '{"path": "a"']),
      says('<tool_call>{"name": "read_file", "arguments": {"path": "a"'),
    ]) {
      assert.match(nudged(judge({ ...reply, finish: 'length' }))[0] ?? '', /\[CutOff\]/);
    }
  });

  it('ends at once on a content filter', () => {
    const verdict = judge({ content: [], finish: 'content_filter' });
    assert.ok(verdict.kind === 'fatal');
    assert.equal(verdict.reason, 'content_filter');
  });

  it('refuses a flood of calls without keeping it', () => {
    const flood = calls(
      ...Array.from({ length: 65 }, (_, n) => ['read_file', { path: `${n}` }] as const),
    );
    const verdict = judge(flood);
    assert.match(nudged(verdict)[0] ?? '', /\[TooManyCalls\] 65 calls/);
    assert.ok(verdict.kind === 'retry');
    assert.deepEqual(verdict.message.content, []);
  });

  it('asks for a tool call where one is required', () => {
    assert.match(
      nudged(judge(says('Done!'), { tools, terminalTools: ['report'] }))[0] ?? '',
      /\[NoToolCall\].*report/,
    );
    assert.match(
      nudged(judge(says('Hi'), { tools, toolChoice: { tool: 'read_file' } }))[0] ?? '',
      /read_file/,
    );
  });

  it('checks what a Zod schema says beyond JSON Schema', () => {
    const even = defineTool({
      name: 'even',
      description: '',
      input: z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') }),
      run: () => '',
    });
    assert.match(
      nudged(judge(calls(['even', { n: 3 }]), { tools: [even] }))[0] ?? '',
      /n: must be even/,
    );
  });

  it('gets firmer, then gives up when the retries are spent', () => {
    const tones = [0, 1, 2].map((retries) => {
      const verdict = judge(says(''), { tools }, { retries });
      return verdict.kind === 'retry' ? verdict.tone : verdict.kind;
    });
    assert.deepEqual(tones, [1, 2, 3]);
    const end = judge(says(''), { tools }, { retries: 3 });
    assert.ok(end.kind === 'fatal');
    assert.equal(end.reason, 'retries_exhausted');
    assert.match(end.explanation, /4 in a row.*EmptyReply/);
  });

  it('is the end at once with nudges off', () => {
    assert.equal(judge(says(''), { tools, guardrails: { nudges: false } }).kind, 'fatal');
  });

  it('speaks in your words where you give some', () => {
    const nudge = (problem: { kind: string }) =>
      problem.kind === 'empty_reply' ? 'Say something.' : undefined;
    assert.deepEqual(nudged(judge(says(''), { tools, nudge })), ['Say something.']);
    assert.match(nudged(judge(calls(['nope', {}]), { tools, nudge }))[0] ?? '', /UnknownTool/);
  });
});

describe('order', () => {
  it('blocks a terminal tool, and an answer, while steps are missing', () => {
    assert.match(
      nudged(judge(calls(['report', {}]), workflow))[0] ?? '',
      /cannot call report yet.*fetch_sales/,
    );
    const answer = judge(says('All good.'), { tools, requiredSteps: ['fetch_sales'] });
    assert.equal(answer.kind, 'blocked');
    assert.match(nudged(answer)[0] ?? '', /cannot finish yet.*fetch_sales/);
  });

  it('lets a batch that holds the missing step run in order', () => {
    const verdict = judge(
      calls(['fetch_sales', { quarter: 1 }, 'one'], ['report', {}, 'two']),
      workflow,
    );
    assert.ok(verdict.kind === 'execute');
    assert.deepEqual(verdict.calls[1]?.after, ['one']);
  });

  it('blocks a batch that holds the missing step only after the terminal call', () => {
    const verdict = judge(calls(['report', {}], ['fetch_sales', { quarter: 1 }]), workflow);
    assert.equal(verdict.kind, 'blocked');
  });

  it('lets the terminal tool run once the steps are done', () => {
    const verdict = judge(calls(['report', {}]), workflow, { facts: ['fetch_sales'] });
    assert.ok(verdict.kind === 'execute');
    assert.equal(verdict.calls[0]?.terminal, true);
  });

  it('wants a prerequisite for the very same argument', () => {
    const write = calls(['write_file', { path: 'b', content: '' }]);
    const facts = ['read_file', 'read_file.path="a"'];
    assert.match(
      nudged(judge(write, { tools }, { facts }))[0] ?? '',
      /read_file with path = "b" first/,
    );
    assert.equal(judge(write, { tools }, { facts: ['read_file.path="b"'] }).kind, 'execute');
  });

  it('takes a prerequisite from earlier in the batch', () => {
    const verdict = judge(
      calls(['read_file', { path: 'b' }, 'r'], ['write_file', { path: 'b', content: '' }, 'w']),
    );
    assert.ok(verdict.kind === 'execute');
    assert.deepEqual(verdict.calls[1]?.after, ['r']);
    assert.deepEqual(verdict.calls[0]?.facts, ['read_file', 'read_file.path="b"']);
  });

  it('gives up after as many attempts as the limits say', () => {
    const premature = judge(calls(['report', {}]), workflow, { premature: 3 });
    assert.ok(premature.kind === 'fatal');
    assert.equal(premature.reason, 'steps_not_done');
    const skipping = judge(
      calls(['write_file', { path: 'b', content: '' }]),
      { tools },
      { prerequisites: 2 },
    );
    assert.ok(skipping.kind === 'fatal');
    assert.equal(skipping.reason, 'prerequisites_not_met');
  });

  it('has a switch for steps and one for prerequisites', () => {
    assert.equal(
      judge(calls(['report', {}]), { ...workflow, guardrails: { steps: false } }).kind,
      'execute',
    );
    const write = calls(['write_file', { path: 'b', content: '' }]);
    assert.equal(judge(write, { tools, guardrails: { prerequisites: false } }).kind, 'execute');
  });
});

describe('repetition', () => {
  const turn = { calls: 'read_file{"path":"a"}', results: 'ok:1' };
  const again = calls(['read_file', { path: 'a' }]);

  it('blocks the third identical call that brought nothing new, then stops', () => {
    const verdict = judge(again, { tools }, { recent: [turn, turn] });
    assert.equal(verdict.kind, 'blocked');
    assert.match(nudged(verdict)[0] ?? '', /\[Loop\].*read_file/);
    const end = judge(again, { tools }, { recent: [turn, turn], repeats: 2 });
    assert.ok(end.kind === 'fatal');
    assert.equal(end.reason, 'loop');
  });

  it('has a switch', () => {
    const options = { tools, guardrails: { repetition: false } };
    assert.equal(judge(again, options, { recent: [turn, turn] }).kind, 'execute');
  });
});

describe('a native call that is nearly right', () => {
  function executed(reply: ModelReply) {
    const verdict = judge(reply);
    assert.ok(verdict.kind === 'execute', verdict.kind);
    return verdict;
  }

  it('is mended where its JSON is damaged but plain', () => {
    for (const text of [
      "{'path': 'a.txt',}",
      '{path: "a.txt"',
      '{"path": "a.txt" // the file\n}',
    ]) {
      const verdict = executed(calls(['read_file', text]));
      assert.deepEqual(verdict.calls[0]?.args, { path: 'a.txt' });
      assert.ok(verdict.mended.length > 0);
    }
  });

  it('is not mended where something would have to be invented', () => {
    for (const text of [
      '{"path": "a.t',
      '{"path": ...}',
      '{"path": open()}',
      '{"path": "a"} {"path": "b"}',
    ]) {
      assert.equal(judge(calls(['read_file', text])).kind, 'retry', text);
    }
  });

  it('is taken under another spelling of its name, and says so', () => {
    for (const name of ['functions.read_file', 'Read_File', 'read-file']) {
      const verdict = executed(calls([name, { path: 'a' }]));
      assert.equal(verdict.calls[0]?.name, 'read_file');
      const part = verdict.message.content[0];
      assert.equal(part?.type === 'tool_call' && part.name, 'read_file');
      assert.match(verdict.mended[0]?.what ?? '', /read as read_file/);
    }
  });

  it('is refused as it is with repairs off', () => {
    const options = { tools, guardrails: { repairs: false } };
    assert.equal(judge(calls(['Read_File', { path: 'a' }]), options).kind, 'retry');
    assert.equal(judge(calls(['read_file', '{"path": "a",}']), options).kind, 'retry');
  });
});

describe('ids of calls', () => {
  const idsOf = (reply: ModelReply) => {
    const verdict = judge(reply);
    return verdict.kind === 'execute' ? verdict.calls.map((call) => call.id) : verdict.kind;
  };
  const read = (id: string) => ['read_file', { path: 'a' }, id] as const;

  it('that are made up keep clear of those that came', () => {
    assert.deepEqual(idsOf(calls(read('call_7_2'), read(''))), ['call_7_2', 'call_7_3']);
    assert.deepEqual(idsOf(calls(read(''), read('call_7_1'))), ['call_7_1', 'call_7_2']);
    const ids = idsOf(calls(read('call_7_3'), read('x'), read('x'), read(''), read('call_7_4')));
    assert.equal(new Set(ids).size, 5);
  });

  it('are told apart when calls in text carry the same one', () => {
    const one = (path: string) =>
      `<tool_call>{"name": "read_file", "arguments": {"path": "${path}"}, "id": "same"}</tool_call>`;
    const ids = idsOf(says(`${one('a')}\n${one('b')}`));
    assert.equal(new Set(ids).size, 2, JSON.stringify(ids));
  });

  it('cost no more each the more calls there are', () => {
    const flood = calls(...Array.from({ length: 100_000 }, (_, at) => read(`id-${at}`)));
    assert.equal(judge(flood).kind, 'retry');
  });
});

describe('what a nudge repeats', () => {
  const longest = (verdict: Verdict) => {
    assert.equal(verdict.kind, 'retry');
    return verdict.kind === 'retry'
      ? JSON.stringify([verdict.nudges, verdict.problems]).length
      : Number.POSITIVE_INFINITY;
  };

  it('is not a page that stands where a name should', () => {
    const prose = 'Let me think. '.repeat(10_000);
    const verdict = judge(calls([prose, {}]));
    assert.ok(longest(verdict) < 2_000);
    assert.ok(verdict.kind === 'retry' && JSON.stringify(verdict.message).length < 1_000);
  });

  it('is not a long value the model got right', () => {
    const content = 'x'.repeat(100_000);
    assert.ok(longest(judge(calls(['write_file', { path: {}, content }]))) < 2_000);
    assert.ok(longest(judge(calls(['write_file', { file: 'a', content }]))) < 2_000);
  });
});

describe('the choice of tools in a request', () => {
  const read = calls(['read_file', { path: 'a' }]);
  const kinds = (verdict: Verdict) =>
    'problems' in verdict ? verdict.problems.map(({ kind }) => kind) : verdict.kind;

  it('none: a native call is not run, and no step is asked for', () => {
    assert.deepEqual(kinds(judge(read, { tools, toolChoice: 'none' })), ['not_chosen']);
    assert.equal(kinds(judge(says('Hello.'), { ...workflow, toolChoice: 'none' })), 'answer');
  });

  it('one tool: another is not run, unless it has to come first', () => {
    const toolChoice = { tool: 'report' };
    assert.deepEqual(kinds(judge(calls(['fetch_sales', { quarter: 1 }]), { tools, toolChoice })), [
      'not_chosen',
    ]);
    assert.equal(kinds(judge(calls(['report', {}]), { tools, toolChoice })), 'execute');
    const step = calls(['fetch_sales', { quarter: 1 }]);
    assert.equal(kinds(judge(step, { ...workflow, toolChoice })), 'execute');
  });

  it('required, of no tools: text is all there can be', () => {
    assert.equal(kinds(judge(says('Hello.'), { toolChoice: 'required' })), 'answer');
  });
});
