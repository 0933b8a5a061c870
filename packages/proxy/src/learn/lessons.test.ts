import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { Attempt, ProxyEvent } from '../proxy-event.ts';
import { lessonSchema } from './lesson.ts';
import { openLessons } from './lessons.ts';
import type { Rule } from './rule.ts';

const attempt = (fields: Partial<Attempt> = {}): Attempt => ({
  rung: 'native',
  problems: [],
  mended: [],
  ...fields,
});
const refused = attempt({ problems: ['unusable_call'], tone: 1 });

const event = (attempts: readonly Attempt[], fields: Partial<ProxyEvent> = {}): ProxyEvent => ({
  at: 7,
  took: 1,
  method: 'POST',
  path: '/v1/chat/completions',
  model: 'm',
  tools: 2,
  status: 200,
  outcome: 'clean',
  attempts,
  ...fields,
});

describe('openLessons', () => {
  let folder = '';
  let file = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forge-lessons-'));
    file = join(folder, 'deep', 'lessons.json');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('counts what worked for a model', async () => {
    const lessons = await openLessons({ file });
    const won = attempt({ rung: 'nudged', format: 'hermes' });
    lessons.observe(event([refused, won], { outcome: 'retried', temperature: 0.2 }));
    lessons.observe(event([attempt()], { temperature: 0.2 }));
    lessons.observe(event([attempt({ problems: ['loop'], tone: 2 })], { outcome: 'exhausted' }));
    const { m } = await lessons.all();
    assert.deepEqual(lessonSchema.parse(m), {
      requests: 3,
      at: 7,
      formats: { hermes: 1 },
      nudges: { unusable_call: { 1: { tries: 1, wins: 1 } } },
      rungs: { native: { tries: 3, wins: 1 }, nudged: { tries: 1, wins: 1 } },
      temperatures: { 0.3: { tries: 2, wins: 1 }, unset: { tries: 1, wins: 0 } },
      modes: { native: { tries: 3, wins: 2 } },
    });
    await lessons.close();
  });

  it('learns nothing from requests that were not judged to their end', async () => {
    const lessons = await openLessons({ file });
    lessons.observe(event([attempt()], { outcome: 'cancelled' }));
    lessons.observe(event([attempt()], { outcome: 'passed', tools: 0 }));
    lessons.observe(event([], { outcome: 'failed' }));
    assert.deepEqual(await lessons.all(), {});
    await lessons.close();
    assert.deepEqual(await readdir(folder), []);
  });

  it('turns to the prompt and back as a server is broken and mended', async () => {
    const rules: Rule[] = [];
    const lessons = await openLessons({ file, onRule: (_, rule) => rules.push(rule) });
    const live = (isMended: boolean) => {
      const { mode } = lessons.advise('m');
      const isRight = mode === 'prompt' || isMended;
      lessons.observe(event([isRight ? attempt({ rung: mode }) : refused]));
      return mode;
    };
    for (let at = 0; at < 100; at++) live(false);
    assert.deepEqual(
      rules.map(({ mode, otherEvery }) => `${mode} ${otherEvery}`),
      ['native 5', 'prompt 20'],
    );
    let asked = 0;
    while (rules.at(-1)?.mode === 'prompt' && asked < 10_000) {
      live(true);
      asked += 1;
    }
    assert.equal(lessons.advise('m').mode, 'native');
    assert.ok(asked < 2_000, `came back after ${asked}`);
    await lessons.close();
  });

  it('goes on from its file, which only its owner can read', async () => {
    const first = await openLessons({ file });
    for (let at = 0; at < 40; at++) {
      first.observe(event([refused, attempt({ rung: 'prompt' })], { outcome: 'retried' }));
    }
    await first.close();
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(join(folder, 'deep')), ['lessons.json']);
    const again = await openLessons({ file });
    assert.equal(again.advise('m').mode, 'prompt');
    assert.deepEqual(again.rules(), { m: { mode: 'prompt', otherEvery: 20 } });
    assert.deepEqual(await again.all(), await first.all());
    await again.close();
  });

  for (const [what, text] of [
    ['is no JSON', '{"v":1,'],
    ['has another version', '{"v":2,"models":{}}'],
    ['has wrong counts', '{"v":1,"models":{"m":{"requests":-1}}}'],
  ] as const) {
    it(`sets a file aside that ${what}`, async () => {
      const flat = join(folder, 'lessons.json');
      await writeFile(flat, text);
      const notices: string[] = [];
      const lessons = await openLessons({ file: flat, onNotice: (notice) => notices.push(notice) });
      assert.match(lessons.notice ?? '', /lessons\.json\.broken/);
      assert.equal(notices.length, 1);
      assert.equal(await readFile(`${flat}.broken`, 'utf8'), text);
      lessons.observe(event([attempt()]));
      await lessons.close();
      assert.equal(JSON.parse(await readFile(flat, 'utf8')).models.m.requests, 1);
    });
  }

  it('says so when it cannot write, and goes on', async () => {
    await writeFile(join(folder, 'deep'), 'a file where a folder is wanted');
    const notices: string[] = [];
    const open = openLessons({ file, onNotice: (notice) => notices.push(notice) });
    await assert.rejects(open, /ENOTDIR/);
    await rm(join(folder, 'deep'));
    const lessons = await openLessons({ file, onNotice: (notice) => notices.push(notice) });
    await writeFile(join(folder, 'deep'), 'again');
    lessons.observe(event([attempt()]));
    await lessons.close();
    assert.match(notices[0] ?? '', /could not be written/);
    assert.equal((await lessons.all()).m?.requests, 1);
  });

  it('keeps the 200 models it was asked about last', async () => {
    const lessons = await openLessons({ file });
    for (let at = 0; at < 500; at++) lessons.observe(event([attempt()], { model: `m${at}` }));
    const names = Object.keys(await lessons.all());
    assert.equal(names.length, 200);
    assert.ok(names.includes('m499') && !names.includes('m299'));
    await lessons.close();
  });

  it('writes once in five seconds, however much it learns', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const lessons = await openLessons({ file });
      for (let at = 0; at < 1_000; at++) lessons.observe(event([attempt()]));
      assert.deepEqual(await readdir(folder), []);
      mock.timers.tick(5_000);
      await lessons.close();
      assert.equal(JSON.parse(await readFile(file, 'utf8')).models.m.requests, 1_000);
    } finally {
      mock.timers.reset();
    }
  });
});
