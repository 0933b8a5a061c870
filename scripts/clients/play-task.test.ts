import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CodingClient } from './coding-client.ts';
import { describePlayed } from './describe-played.ts';
import { mistakeNames } from './mistakes.ts';
import { playTask } from './play-task.ts';

/** The smallest agent there is: reads files until it is given an answer. */
const agent = `
import { readFile } from 'node:fs/promises';
const [url, prompt] = process.argv.slice(2);
const tools = [{ type: 'function', function: { name: 'read', parameters: {
  type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false,
} } }];
const messages = [{ role: 'user', content: prompt }];
for (;;) {
  const response = await fetch(url + '/v1/chat/completions', {
    method: 'POST', body: JSON.stringify({ model: 'local', messages, tools }),
  });
  const { choices: [{ message }] } = await response.json();
  messages.push(message);
  if (message.content) console.log(message.content);
  if (!message.tool_calls) break;
  for (const { id, function: { name, arguments: args } } of message.tool_calls) {
    const content = await answer(name, args).catch(String);
    messages.push({ role: 'tool', tool_call_id: id, content });
  }
}
async function answer(name, args) {
  if (name !== 'read') throw new Error('no such tool');
  return readFile(JSON.parse(args).path, 'utf8');
}
`;

const client: CodingClient = {
  name: 'smallest',
  title: 'The smallest agent',
  package: 'none',
  version: '1',
  wire: 'openai-chat',
  program: [],
  launch: ({ url, prompt }) => ({ args: [url, prompt] }),
  show: (file) => ({ name: 'read', args: { path: file } }),
  misspelt: (file) => ({ name: 'read', args: { file } }),
  stranger: 'cat',
};

describe('a task', () => {
  let folder: string;
  let program: readonly [string, string];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forge-agent-'));
    program = [process.execPath, join(folder, 'agent.mjs')];
    await writeFile(program[1], agent);
  });
  after(() => rm(folder, { recursive: true }));
  const secret = 'heron-1234567';

  it('is not done by a client that is given its call as text', async () => {
    const played = await playTask({ client, program, mistake: 'text', way: 'direct', secret });
    assert.equal(played.isDone, false);
    assert.deepEqual(played.spoken, ['mistake']);
    assert.match(describePlayed(played), /NOT done, exit code 0/);
  });

  for (const mistake of mistakeNames) {
    for (const way of ['openai-chat', 'ollama'] as const) {
      // Of these wires only one can carry arguments that are not JSON.
      if (mistake === 'json' && way === 'ollama') continue;
      it(`is done in two requests through the proxy, mistake ${mistake}, backend ${way}`, async () => {
        const played = await playTask({ client, program, mistake, way, secret });
        assert.equal(played.isDone, true, describePlayed(played));
        assert.equal(played.events.length, 2);
        assert.equal(played.events[1]?.outcome, 'clean');
        assert.equal(played.spoken.at(-1), 'answer');
      });
    }
  }

  it('ends a client that does not end by itself', async () => {
    const endless = { ...client, launch: () => ({ args: [] }) };
    await writeFile(join(folder, 'endless.mjs'), 'setInterval(() => {}, 1000)');
    const { isDone, code } = await playTask({
      client: endless,
      program: [process.execPath, join(folder, 'endless.mjs')],
      mistake: 'text',
      way: 'direct',
      secret,
      timeout: 50,
    });
    assert.deepEqual([isDone, code], [false, undefined]);
  });
});
