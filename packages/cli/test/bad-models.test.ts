import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { DemoPlace } from './demo-place.ts';

interface Reply {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: object }[];
}
interface Scene {
  readonly when: object;
  readonly replies: readonly Reply[];
}

const call = (name: string, args: object = {}): Reply => ({ calls: [{ name, args }] });
const often = (reply: Reply): readonly Reply[] => Array.from({ length: 30 }, () => reply);
const speaks = (tool: string, replies: readonly Reply[], fields?: object): Scene => ({
  when: { tools: [tool], ...(fields !== undefined && { fields }) },
  replies,
});

const plan = speaks('submit_plan', [
  call('submit_plan', {
    summary: 'One task.',
    tasks: [{ id: 'one', title: 'One', description: 'Write b.txt.' }],
  }),
]);
const writes = (path: string) => [
  call('write', { path, content: 'more\n' }),
  call('run_checks'),
  call('finish', { summary: `Wrote ${path}.`, message: `Add ${path}` }),
];

/** A project with such a model, and what `forge run` makes of it. */
async function runWith(t: TestContext, scenes: readonly Scene[]) {
  const place = new DemoPlace();
  t.after(() => place.remove());
  mkdirSync(place.folder);
  const file = (name: string, text: string) => writeFileSync(join(place.folder, name), text);
  file('a.txt', 'a\n');
  file('script.yaml', JSON.stringify({ scenes }));
  file(
    'forge.yaml',
    `name: bad
model: scripted:script.yaml
checks: ['test -f a.txt']
agents: { reviewer: { max_review_rounds: 1 } }
sandbox: { backend: process, network: full }
`,
  );
  place.git('init', '-q', '-b', 'main');
  place.git('add', '-A');
  place.git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'Begin');
  const before = place.git('rev-parse', 'HEAD');
  const { code, errors } = await place.forge('run', 'do it');
  assert.deepEqual(place.git('status', '--porcelain'), [], 'the tree is untouched');
  assert.deepEqual(place.git('rev-parse', 'HEAD'), before);
  assert.deepEqual(place.git('branch', '--format=%(refname:short)'), ['main']);
  const { lines } = await place.forge('list', '--json');
  const [run] = JSON.parse(lines.join('\n'));
  return { code, errors, state: run.state };
}

const failed = ({ code, state }: { code: number | null; state: string }) =>
  assert.deepEqual([code, state], [1, 'failed']);

describe('forge run ends clearly, with the tree untouched, when', () => {
  it('a model never calls a tool', async (t) => {
    const end = await runWith(t, [speaks('submit_plan', often({ text: 'I would rather talk.' }))]);
    failed(end);
    assert.match(end.errors, /plan \(planner\) failed: /);
  });

  it('a model goes round in circles', async (t) => {
    const end = await runWith(t, [speaks('submit_plan', often(call('list', { path: '.' })))]);
    failed(end);
    assert.match(end.errors, /plan \(planner\) failed: .*(?:loop|circle|same)/i);
  });

  it('a plan never fits', async (t) => {
    const wrong = call('submit_plan', { summary: 'Nothing.', tasks: [] });
    const end = await runWith(t, [speaks('submit_plan', often(wrong))]);
    failed(end);
    assert.match(end.errors, /plan \(planner\) failed: .*tasks/);
  });

  it('a reviewer never passes', async (t) => {
    const no = [
      call('review_diff'),
      call('run_checks'),
      call('submit_review', {
        verdict: 'fail',
        summary: 'Not good enough.',
        findings: [{ severity: 'high', file: 'b.txt', message: 'It says nothing.' }],
      }),
    ];
    const end = await runWith(t, [
      plan,
      speaks('finish', writes('c.txt'), { findings: '/./' }),
      speaks('finish', writes('b.txt')),
      speaks('submit_review', no),
    ]);
    failed(end);
    assert.match(end.errors, /max_review_rounds is 1.*Not good enough/s);
  });
});
