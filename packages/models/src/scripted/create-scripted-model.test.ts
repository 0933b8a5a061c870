import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { defineAgent, defineTool, type Message, run, userMessage } from '@forge/core';
import { createModel } from '../create-model/index.ts';
import type { ScriptInput } from './script-schema.ts';

const { signal } = new AbortController();

function write(t: TestContext, script: ScriptInput | string): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-script-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'story.yaml');
  writeFileSync(file, typeof script === 'string' ? script : JSON.stringify(script));
  return file;
}

function scripted(t: TestContext, script: ScriptInput | string) {
  return createModel(`scripted:${write(t, script)}`);
}

const says = (text: string) => ({ text });
const spec = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } });

function request(
  input: string,
  { system = '', tools = [] as string[], past = [] as Message[] } = {},
) {
  const head: Message[] =
    system === '' ? [] : [{ role: 'system', content: [{ type: 'text', text: system }] }];
  return {
    messages: [...head, userMessage(input), ...past],
    tools: tools.map(spec),
    toolChoice: 'auto' as const,
  };
}

/** A turn that called a tool, and what came of it. */
function turn(id: string, name: string, result: string): Message[] {
  return [
    { role: 'assistant', content: [{ type: 'tool_call', id, name, args: {} }] },
    {
      role: 'tool',
      content: [
        { type: 'tool_result', callId: id, name, content: [{ type: 'text', text: result }] },
      ],
    },
  ];
}

describe('a scripted model', () => {
  it('plays a run to its end', async (t) => {
    const model = scripted(
      t,
      `
scenes:
  - when: { tools: [add] }
    replies:
      - text: Let me see.
        calls:
          - name: add
            args: { a: "{{input.a}}", b: 3 }
      - text: It is {{result.add.sum}}.
`,
    );
    const add = defineTool({
      name: 'add',
      description: 'Adds.',
      input: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      run: ({ a, b }) => ({ sum: Number(a) + Number(b) }),
    });
    const result = await run(defineAgent({ name: 'adder', tools: [add] }), '{"a": 2}', { model });
    assert.equal(result.status, 'completed');
    assert.deepEqual(result.output, { text: 'It is 5.' });
  });

  it('takes the first scene that fits the instructions, the input and the tools', async (t) => {
    const model = scripted(t, {
      scenes: [
        { when: { system: 'You review', fields: { findings: null } }, replies: [says('review')] },
        { when: { system: 'You review' }, replies: [says('review again')] },
        { when: { tools: ['submit_plan'] }, replies: [says('plan')] },
        { when: { fields: { 'task.id': '/^count$/' } }, replies: [says('count')] },
        { when: { input: '/URGENT/i', notInput: 'not' }, replies: [says('hurry')] },
        { replies: [says('anything')] },
      ],
    });
    const said = async (...args: Parameters<typeof request>) =>
      (await model.complete(request(...args), { signal })).content;
    const text = (value: string) => [{ type: 'text', text: value }];
    assert.deepEqual(await said('{}', { system: 'You review code.' }), text('review'));
    assert.deepEqual(await said('{"findings": []}', { system: 'You review.' }), text('review'));
    assert.deepEqual(
      await said('{"findings": [1]}', { system: 'You review.' }),
      text('review again'),
    );
    assert.deepEqual(await said('x', { tools: ['submit_plan', 'read'] }), text('plan'));
    assert.deepEqual(await said('{"task": {"id": "count"}}'), text('count'));
    assert.deepEqual(await said('{"task": {"id": "counter"}}'), text('anything'));
    assert.deepEqual(await said('urgent'), text('hurry'));
    assert.deepEqual(await said('not urgent'), text('anything'));
  });

  it('may go by what a tool gave back', async (t) => {
    const look = { calls: [{ name: 'check' }] };
    const model = scripted(t, {
      scenes: [
        { when: { results: { check: 'FAILED' } }, replies: [look, says('sent back')] },
        { replies: [look, says('passed')] },
      ],
    });
    const after = async (result: string) =>
      (await model.complete(request('go', { past: turn('1', 'check', result) }), { signal }))
        .content;
    assert.deepEqual(await after('2 FAILED'), [{ type: 'text', text: 'sent back' }]);
    assert.deepEqual(await after('all ok'), [{ type: 'text', text: 'passed' }]);
  });

  it('keeps nothing: another one answers the same request with the same reply', async (t) => {
    const file = write(t, {
      scenes: [{ replies: [{ calls: [{ name: 'look', args: {} }] }, says('done')] }],
    });
    const second = request('go', { past: turn('call-1-1', 'look', 'ok') });
    const one = createModel(`scripted:${file}`);
    const other = createModel(`scripted:${file}`);
    const first = await one.complete(request('go'), { signal });
    assert.deepEqual(await one.complete(request('go'), { signal }), first);
    assert.deepEqual(
      await other.complete(second, { signal }),
      await one.complete(second, { signal }),
    );
  });

  it('says again what was interrupted, under a new id', async (t) => {
    const model = scripted(t, {
      scenes: [{ replies: [{ calls: [{ name: 'look' }] }, says('done')] }],
    });
    const past = turn(
      'call-1-1',
      'look',
      '[Interrupted] look had begun when the run was interrupted.',
    );
    const { content } = await model.complete(request('go', { past }), { signal });
    assert.deepEqual(content, [{ type: 'tool_call', id: 'call-2-1', name: 'look', args: {} }]);
  });

  it('past its end, or without a scene, fails once and says where', async (t) => {
    const model = scripted(
      t,
      'scenes:\n  - name: greet\n    when: { input: hi }\n    replies:\n      - text: Hi.\n',
    );
    const past = turn('1', 'look', 'nothing found');
    await assert.rejects(model.complete(request('hi', { past }), { signal }), {
      code: 'model_failed',
      retryable: false,
      message:
        /story\.yaml:2: scene greet has 1 replies.*The last result was of look: nothing found/,
    });
    await assert.rejects(model.complete(request('bye', { tools: ['read'] }), { signal }), {
      retryable: false,
      message: /no scene for this request\. Input: bye\. Tools: read\./,
    });
  });

  it('that quotes what is not there says what is', async (t) => {
    const model = scripted(t, 'scenes:\n  - replies:\n      - text: "{{result.deploy.url}}"\n');
    await assert.rejects(model.complete(request('hi'), { signal }), {
      message:
        /story\.yaml:3: nothing is there for \{\{result\.deploy\.url\}\}\. There is: input\./,
    });
  });

  it('counts tokens by the length of what was said, unless told', async (t) => {
    const model = scripted(t, {
      scenes: [
        {
          when: { input: 'told' },
          replies: [{ text: 'x', usage: { inputTokens: 7, outputTokens: 1 } }],
        },
        { replies: [says('a few words')] },
      ],
    });
    const { usage } = await model.complete(request('hello'), { signal });
    assert.ok(usage !== undefined && usage.inputTokens > 0 && usage.outputTokens > 0);
    const told = await model.complete(request('told'), { signal });
    assert.deepEqual(told.usage, { inputTokens: 7, outputTokens: 1 });
  });

  it('waits no longer than it is wanted', async (t) => {
    const model = scripted(t, { delayMs: 3_600_000, scenes: [{ replies: [says('late')] }] });
    const stop = new AbortController();
    const asked = model.complete(request('hi'), { signal: stop.signal });
    stop.abort();
    await assert.rejects(asked, { name: 'AbortError' });
  });

  it('streams the reply it would give', async (t) => {
    const model = scripted(t, { scenes: [{ replies: [says('hello')] }] });
    const types: string[] = [];
    for await (const event of model.stream(request('hi'), { signal })) types.push(event.type);
    assert.deepEqual(types, ['start', 'text', 'finish']);
    assert.equal(await model.contextLength({ signal }), 200_000);
  });

  it('needs a file', () => {
    assert.throws(() => createModel('scripted:'), {
      code: 'invalid_options',
      message: 'Write it like scripted:story.yaml.',
    });
  });
});
