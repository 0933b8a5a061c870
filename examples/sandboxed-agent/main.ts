import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, run, textOf } from '@forge/core';
import { calls, ScriptedModel, says } from '@forge/core/testing';
import {
  chooseBackend,
  createBubblewrapBackend,
  createDockerBackend,
  openWorkspace,
} from '@forge/sandbox';
import { applyPolicy, createTools } from '@forge/tools';

/*
 * An agent mends a program in a copy of a repository, in a sandbox. Your tree stays as it is until
 * you have seen the difference and take it over. The model is scripted: it also tries two things it
 * should not.
 *
 *     npx node examples/sandboxed-agent/main.ts [auto|docker|bubblewrap]
 */

// A small repository of yours, with a mistake in it.
const tree = mkdtempSync(join(tmpdir(), 'forge-example-'));
const git = (...args: string[]) => execFileSync('git', args, { cwd: tree, stdio: 'ignore' });
writeFileSync(join(tree, 'sum.sh'), 'echo $(($1 - $2))\n');
git('init');
git('add', '.');
git('-c', 'user.name=me', '-c', 'user.email=me@example.org', 'commit', '-m', 'Add sum');

const backend = await chooseBackend(process.argv[2] ?? 'auto', {
  docker: () => createDockerBackend(),
  bubblewrap: () => createBubblewrapBackend(),
});
const sandbox = await backend.start();
const workspace = await openWorkspace({ source: { type: 'git', path: tree }, sandbox });

const policy = { rules: [{ deny: 'write(.github/**)', because: 'the pipeline is not yours' }] };
const agent = defineAgent({ name: 'mender', tools: applyPolicy(createTools({ sandbox }), policy) });
const model = new ScriptedModel([
  calls(['shell', { command: 'sh sum.sh 40 2' }]),
  calls(['write', { path: '.github/workflows/ci.yml', content: 'on: push\n' }]),
  calls(['shell', { command: 'cat /etc/shadow || echo "secrets are out of reach"' }]),
  calls(['edit', { path: 'sum.sh', old_text: '$1 - $2', new_text: '$1 + $2' }]),
  calls(['shell', { command: 'sh sum.sh 40 2' }]),
  says('sum.sh adds now.'),
]);
const { events, output } = await run(agent, 'sh sum.sh 40 2 should print 42.', { model });
for (const event of events) {
  if (event.type !== 'tool.finished') continue;
  const [first = '', second = ''] = textOf(event)
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  console.log(`${event.name}: ${first.startsWith('Exit code') ? second : first}`);
}
console.log(output?.text);

console.log(`\nyour tree still has: ${readFileSync(join(tree, 'sum.sh'), 'utf8').trim()}`);
const { text } = await workspace.diff();
console.log(
  text
    .split('\n')
    .filter((line) => /^[-+][^-+]/.test(line))
    .join('\n'),
);
await workspace.apply();
console.log(`now it has: ${readFileSync(join(tree, 'sum.sh'), 'utf8').trim()}`);

await workspace.discard();
await backend.close();
rmSync(tree, { recursive: true, force: true });
