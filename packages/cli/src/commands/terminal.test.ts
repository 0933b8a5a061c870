import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openStore } from '@forge/store';

const here = new URL('.', import.meta.url);
const hasScript = spawnSync('script', ['--version']).status === 0;
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

/** `forge` with a workshop whose models are scripted; the planner needs a moment. */
const program = `
import { calls, ScriptedModel, says } from '@forge/core/testing';
import { start } from '${new URL('../main.ts', here)}';
import { coder, pipeline, planner, testWorkshop } from '${new URL('../runs/ground.test.ts', here)}';
const [file, folder, approval, wait] = process.argv.splice(2, 4);
const agents = [pipeline, planner, coder({ approval: approval === 'yes' }).agent];
const slowly = async () => {
  await new Promise((resolve) => setTimeout(resolve, Number(wait)));
  return says('One task.');
};
const voices = {
  planner: new ScriptedModel([slowly, slowly]),
  coder: new ScriptedModel([calls(['write', { path: 'a.ts' }, '1']), says('It is done.')]),
};
await start({ openWorkshop: () => testWorkshop({ file, folder, agents, voices }) });
`;

let folder = '';
let file = '';
const children: ChildProcess[] = [];
beforeEach(() => {
  // Below this package, so that its imports are found.
  folder = mkdtempSync(join(tmpdir(), 'forge-terminal-'));
  file = join(folder, 'runs.db');
  writeFileSync(join(folder, 'forge.ts'), program.replaceAll('@forge/core/testing', coreTesting));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
const coreTesting = import.meta.resolve('@forge/core/testing');

function command(options: { approval?: boolean; wait?: number }, ...args: readonly string[]) {
  const { approval = false, wait = 0 } = options;
  const own = [file, folder, approval ? 'yes' : 'no', String(wait)];
  return [process.execPath, join(folder, 'forge.ts'), ...own, ...args];
}

/** Runs it in a terminal of its own. */
function inTerminal(argv: readonly string[]) {
  const line = argv.map((word) => `'${word}'`).join(' ');
  const sized = `stty cols 80 rows 24; ${line}`;
  const child = spawn('script', ['-qec', sized, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, SHELL: '/bin/sh', NO_COLOR: '1' },
  });
  children.push(child);
  const seen = { text: '' };
  const waiting: { words: string; resolve: () => void }[] = [];
  child.stdout.on('data', (chunk) => {
    seen.text += String(chunk);
    for (const { words, resolve } of waiting) if (seen.text.includes(words)) resolve();
  });
  const until = (words: string) =>
    new Promise<void>((resolve) => {
      if (seen.text.includes(words)) resolve();
      else waiting.push({ words, resolve });
    });
  const ended = once(child, 'exit').then(([code]) => Number(code));
  return { seen, until, ended, type: (text: string) => child.stdin.write(text) };
}

async function states() {
  const store = await openStore(file);
  const { items } = await store.runs();
  await store.close();
  return items.map(({ state }) => state);
}

describe('in a terminal', { skip: hasScript ? false : 'script (util-linux) is not here' }, () => {
  it('draws the tree in its place, asks for a yes right there, and gives the cursor back', async () => {
    const { seen, until, ended, type } = inTerminal(
      command({ approval: true }, 'run', 'build a shop'),
    );
    await until('Run it? (yes, no, edit, later)');
    type('y\n');
    assert.equal(await ended, 0, seen.text);
    assert.match(seen.text, /coder wants to run write:\s+path: a\.ts/);
    assert.match(seen.text, /├─ ✓ plan/);
    assert.match(seen.text, /└─ ✓ code/);
    assert.match(seen.text, /completed in /);
    assert.ok(seen.text.includes(hideCursor));
    assert.ok(seen.text.lastIndexOf(showCursor) > seen.text.lastIndexOf(hideCursor));
  });

  it('Ctrl-C pauses the run, and "forge resume" goes on with it', async () => {
    const first = inTerminal(command({ wait: 5_000 }, 'run', 'build a shop'));
    await first.until('plan');
    first.type('\u0003');
    assert.equal(await first.ended, 130, first.seen.text);
    const [, id = ''] = /forge resume ([\w-]+)/.exec(first.seen.text) ?? [];
    assert.notEqual(id, '', first.seen.text);
    assert.ok(first.seen.text.lastIndexOf(showCursor) > first.seen.text.lastIndexOf(hideCursor));
    assert.ok((await states()).every((state) => state === 'paused'));
    const second = inTerminal(command({}, 'resume', id));
    assert.equal(await second.ended, 0, second.seen.text);
    assert.deepEqual(await states(), ['completed', 'completed', 'completed']);
  });

  it('Ctrl-C twice cancels it', async () => {
    const { seen, until, ended, type } = inTerminal(command({ wait: 10_000 }, 'run', 'x'));
    await until('plan');
    type('\u0003');
    await until('Press Ctrl-C again');
    type('\u0003');
    assert.equal(await ended, 130, seen.text);
    assert.deepEqual(await states(), ['cancelled', 'cancelled']);
  });
});

describe('without a terminal', () => {
  it('SIGTERM pauses the run durably and ends with 130', async () => {
    const [node = '', ...args] = command({ wait: 5_000 }, 'run', 'build a shop');
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let stderr = '';
    let isTold = false;
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      if (isTold || !/plan {2}begins/.test(stderr)) return;
      isTold = true;
      child.kill('SIGTERM');
    });
    assert.deepEqual(await once(child, 'exit'), [130, null], stderr);
    assert.match(stderr, /Paused\. Go on with: forge resume/);
    assert.ok((await states()).every((state) => state === 'paused'));
  });
});
