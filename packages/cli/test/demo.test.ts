import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { probe, storyRequest } from '../src/demo/story/story-text.ts';
import { DemoPlace } from './demo-place.ts';
import { eventOf, type ForgeEnd } from './forge-process.ts';
import { readSections, readStory, type Told } from './told-story.ts';

interface Step {
  readonly name: string;
  readonly round: number;
  readonly state: string;
  readonly tokens: number;
  // biome-ignore lint/suspicious/noExplicitAny: what a step handed on is a different thing each time.
  readonly output: any;
}

interface Deployment {
  readonly id: string;
  readonly commit: string;
  readonly state: string;
  readonly verified?: boolean;
  readonly reason?: string;
  readonly url?: string;
}

const json = ({ code, lines, errors }: ForgeEnd) => {
  assert.equal(code, 0, errors);
  return JSON.parse(lines.at(-1) ?? '');
};

describe('forge demo, as a stranger sees it', () => {
  const place = new DemoPlace();
  let printed: ForgeEnd;
  let story: readonly Told[];
  let sections: ReadonlyMap<string, readonly string[]>;
  let inspection: { run: { id: string }; steps: readonly Step[]; deployments: Deployment[] };
  let runId: string;

  before(async () => {
    printed = await place.forge('demo', '--keep', '--folder', place.folder);
    assert.equal(printed.code, 0, printed.errors);
    story = readStory(printed.errors);
    sections = readSections(printed.lines.join('\n'));
    const listed = json(await place.forge('list', '--json'));
    runId = listed.find(({ task }: { task: string }) => task === storyRequest).id;
    inspection = json(await place.forge('inspect', runId, '--json'));
  });
  after(() => place.remove());

  const texts = (label: string) =>
    story.filter((each) => each.label === label).map(({ text }) => text);
  const outputs = (name: string) =>
    // Parallel ones are called by their task too: `code choose-code`.
    inspection.steps.filter((step) => step.name.split(' ')[0] === name).map(({ output }) => output);
  const short = (commit: string) => commit.slice(0, 8);
  const urlOf = () => texts('deployed')[0]?.split(' at ')[1] ?? '';

  it('is true about the plan, the code and the merge', () => {
    const [plan] = outputs('plan');
    const titles = plan.tasks.map(({ title }: { title: string }) => title).join('; ');
    assert.deepEqual(texts('planned'), [
      `2 tasks: ${titles}. ${plan.acceptance.length} acceptance checks`,
    ]);
    const code = [...outputs('code'), ...outputs('fix')];
    const said = code.map(({ commit, summary, files }) => {
      const changed = place.git('diff', '--name-only', `${commit}^`, commit);
      assert.deepEqual([...files].sort(), changed);
      return `${short(commit)} ${summary} (${files.length} files, 1 of 1 check passed)`;
    });
    assert.deepEqual([...texts('coded')].sort(), said.sort());
    const [merge] = outputs('merge');
    assert.deepEqual(texts('merged'), [short(merge.commit)]);
    for (const { commit } of outputs('code')) {
      place.git('merge-base', '--is-ancestor', commit, merge.commit);
    }
  });

  it('is true about the reviews', () => {
    const [first, ...others] = outputs('review');
    assert.equal(first.verdict, 'fail');
    assert.deepEqual(texts('sent back'), [first.summary]);
    for (const { severity, file, line, message } of first.findings) {
      assert.deepEqual(texts(severity), [`${file}:${line} ${message}`]);
    }
    assert.deepEqual(
      others.map(({ verdict }) => verdict),
      ['pass', 'pass'],
    );
    assert.deepEqual(
      texts('review passed'),
      others.map(({ summary }) => summary),
    );
  });

  it('is true about the deployments, the one that was rolled back and the one that is live', async () => {
    const [base = ''] = place.git('rev-parse', 'main');
    const [refused, live] = inspection.deployments;
    assert.ok(refused && live);
    assert.equal(inspection.deployments.length, 2);
    assert.deepEqual([refused.state, refused.verified], ['rolled_back', false]);
    assert.match(refused.reason ?? '', /\/docs answered 500/);
    assert.deepEqual([live.state, live.verified], ['live', true]);
    assert.deepEqual(
      texts('deployed'),
      [base, refused.commit, live.commit].map((commit) => `${short(commit)} at ${live.url}`),
    );
    const [failed, passed] = outputs('verify');
    assert.deepEqual(texts('not verified'), failed.problems);
    const requests = passed.tests.map(
      ({ request, got }: { request: { method: string }; got: string }) =>
        `${request.method} ${got}`,
    );
    assert.deepEqual(texts('verified'), [
      [`${requests.length} requests to the deployed service`, ...requests].join(' '),
    ]);
    assert.deepEqual(texts('rolled back'), [
      `${short(refused.commit)} gave the traffic back to ${short(base)}`,
    ]);
    const status = json(await place.forge('status', '--json'));
    assert.deepEqual(
      [status.live.id, status.live.url, status.live.verified],
      [live.id, live.url, true],
    );
    assert.equal(status.stats.totalDeployments, 3);
    assert.deepEqual(
      sections.get('Deployments')?.map((row) => row.slice(0, 36).trimEnd()),
      [
        `${short(base)}  replaced     verified`,
        `${short(refused.commit)}  rolled back  not verified`,
        `${short(live.commit)}  live         verified`,
      ],
    );
  });

  it('shows what the service answers, and the service answers', async () => {
    const answer = (label: string) => texts(label).map((text) => text.split(' → ')[1]);
    const request = `${probe.method} ${probe.path} ${probe.body}`;
    assert.ok(texts('before')[0]?.startsWith(request));
    assert.deepEqual(answer('before'), ['201 {"code":"1","url":"https://example.org/docs"}']);
    assert.deepEqual(answer('now'), ['201 {"code":"2","url":"https://example.org/docs"}']);
    const after = await fetch(new URL(probe.path, urlOf()), { method: 'POST', body: probe.body });
    const text = (await after.text()).trim();
    assert.deepEqual(
      sections.get(request)?.map((row) => row.split(/ {2,}/)),
      [
        ['before', '201', '{"code":"1","url":"https://example.org/docs"}'],
        ['rolled back', '201', '{"code":"2","url":"https://example.org/docs"}'],
        ['after', String(after.status), text],
      ],
    );
  });

  it('counts right, and shows the branch as git does', () => {
    const [published] = outputs('publish');
    assert.deepEqual(texts('published'), [
      `${short(published.commit)} as branch ${published.branch}`,
    ]);
    assert.deepEqual(place.git('rev-parse', published.branch), [published.commit]);
    const stat = place.git('diff', '--stat', `main...${published.branch}`);
    assert.deepEqual(
      sections.get(`Branch ${published.branch}`),
      stat.map((line) => line.trim()),
    );
    const tokens = inspection.steps.reduce((sum, step) => sum + step.tokens, 0);
    assert.match(
      sections.get('In all')?.[0] ?? '',
      new RegExp(
        `^completed in \\d+s, ${inspection.steps.length} agent runs, ${Math.round(tokens / 1_000)}k tokens`,
      ),
    );
  });

  it('leaves the repository as it was, but for a branch of its own', () => {
    assert.deepEqual(place.git('status', '--porcelain'), []);
    assert.deepEqual(place.git('symbolic-ref', 'HEAD'), ['refs/heads/main']);
    assert.equal(place.git('log', '--format=%h', 'main').length, 1);
    assert.deepEqual(place.git('for-each-ref', '--format=%(refname:short)', 'refs/heads'), [
      outputs('publish')[0].branch,
      'main',
    ]);
    assert.deepEqual(place.git('worktree', 'list').length, 1);
  });

  it('names commands that work', async () => {
    const commands = sections.get('Look around') ?? [];
    assert.ok(commands.includes(`cd ${place.folder}`));
    const own = commands.filter((command) => command.startsWith('forge '));
    assert.equal(own.length, 3);
    for (const command of own) {
      const { code, lines, errors } = await place.forge(...command.split(' ').slice(1));
      assert.equal(code, 0, `${command}: ${errors}`);
      assert.ok(lines.length > 0, command);
    }
    const [curl = ''] = commands.filter((command) => command.startsWith('curl '));
    const shown = await fetch(curl.slice('curl '.length));
    assert.deepEqual(await shown.json(), {
      code: 'docs',
      url: 'https://example.org/docs',
      visits: 1,
    });
  });

  it('fits the width of a terminal', () => {
    const lines = [...printed.errors.split('\n'), ...printed.lines.map(stripVTControlCharacters)];
    const isCopied = /^ {2}(?:cd|alias|curl) /;
    assert.deepEqual(
      lines.filter((line) => line.length > 80 && !isCopied.test(line)),
      [],
    );
  });

  it('is cleaned up without a trace', async () => {
    const url = urlOf();
    assert.ok(place.processes().length > 0, 'the service and its keeper run');
    const { code, errors } = await place.forge('demo', 'clean', place.folder);
    assert.equal(code, 0, errors);
    assert.equal(existsSync(place.folder), false);
    await assert.rejects(fetch(url));
    assert.deepEqual(await place.staying(), []);
    assert.deepEqual(place.leftovers(), []);
  });
});

describe('forge demo --json, where nothing holds a sandbox', () => {
  it('prints each event once, the result last, and stops what it started', async (t) => {
    const place = new DemoPlace();
    t.after(() => place.remove());
    const { code, lines, errors } = await place.forge(
      ...['demo', '--json', '--backend', 'process', '--folder', place.folder],
    );
    assert.equal(code, 0, errors);
    assert.doesNotMatch(errors, /forge:/);
    const { demo } = JSON.parse(lines.at(-1) ?? '');
    assert.equal(demo.folder, place.folder);
    assert.equal(demo.backend, 'process');
    assert.equal(demo.state, 'completed');
    assert.deepEqual(
      demo.deployments.map(({ state }: Deployment) => state),
      ['replaced', 'rolled_back', 'live'],
    );
    assert.deepEqual(
      [demo.answers.before, ...demo.answers.between, demo.answers.after].map(
        ({ text }) => JSON.parse(text).code,
      ),
      ['1', '2', 'docs'],
    );
    const told = lines.flatMap((line) => eventOf(line) ?? []);
    const names = told.map(({ runId, event }) => `${runId} ${event.seq}`);
    assert.equal(new Set(names).size, names.length);
    const runs = told.filter(({ rootId }) => rootId === demo.runId);
    const { totals } = json(await place.forge('inspect', demo.runId, '--json'));
    assert.equal(runs.length, totals.events);
    await assert.rejects(fetch(demo.url));
    assert.deepEqual(await place.staying(), []);
    const status = json(await place.forge('status', '--json'));
    assert.equal(status.live, null);
  });
});
