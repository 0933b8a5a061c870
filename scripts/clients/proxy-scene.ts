import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { calls } from '@forge/core/testing';
import { type ServerLine, startScriptedServer } from '@forge/models/testing';

/**
 * What a person sees of `forge proxy` while a client works, for the picture in the docs: the real
 * command, before a scripted model that gets its calls wrong in four ways.
 */
const right = calls(['read_file', { path: 'notes.txt', lines: 20 }]);
const script: readonly ServerLine[] = [
  '<tool_call>{"name": "read_file", "arguments": {"path": "notes.txt", "lines": 20}}</tool_call>',
  calls(['read_file', { path: 'notes.txt', lines: '20' }]),
  calls(['cat', { file: 'notes.txt' }]),
  right,
  right,
  calls(['read_file', { file: 'notes.txt' }]),
  right,
  'The notes say: buy milk.',
];
const requests = 6;

const body = JSON.stringify({
  model: 'local-8b',
  messages: [{ role: 'user', content: 'What is in notes.txt?' }],
  tools: [
    {
      type: 'function',
      function: {
        name: 'read_file',
        parameters: {
          type: 'object',
          properties: { path: { type: 'string' }, lines: { type: 'integer' } },
          required: ['path', 'lines'],
        },
      },
    },
  ],
});

const backend = await startScriptedServer({
  wire: 'openai-chat',
  script,
  model: 'local-8b',
  contextLength: 16_384,
});
const forge = fileURLToPath(new URL('../../packages/cli/bin/forge.js', import.meta.url));
const args = ['proxy', '--verbose', '--backend', 'llamaserver', '--backend-url', backend.url];
const proxy = spawn(process.execPath, [forge, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
const ended = once(proxy, 'exit');
try {
  let seen = 0;
  for await (const line of createInterface(proxy.stdout)) {
    console.log(line);
    if (line.includes('Ctrl-C')) await ask();
    if (/^\S*\d\d:\d\d:\d\d/.test(line)) seen += 1;
    if (seen === requests) {
      seen += 1;
      proxy.kill('SIGINT');
    }
  }
  const [code] = await ended;
  process.exitCode = code ?? 1;
} finally {
  proxy.kill('SIGKILL');
  await backend.close();
}

async function ask() {
  for (let count = 0; count < requests; count++) {
    const response = await fetch('http://127.0.0.1:8081/v1/chat/completions', {
      method: 'POST',
      body,
    });
    await response.text();
  }
}
