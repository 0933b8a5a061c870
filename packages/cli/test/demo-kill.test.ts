import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DemoRecord, endOf, readRecord } from './demo-end.ts';
import { DemoPlace } from './demo-place.ts';
import { type EventLine, eventOf, type ForgeProcess } from './forge-process.ts';

/** `SEED=7 npm test -- packages/cli/test` kills at other moments. */
const seed = Number(process.env.SEED ?? 20_261_115);
const moments = 10;
/** Those whose second process is killed too. */
const killedTwice = new Set([2, 7]);
/** Milliseconds after an event, at most: what takes long is then killed in its middle. */
const longestLag = 400;

const demo = ['demo', '--json', '--keep', '--delay', '0', '--folder'];

describe(`the demo, killed at ${moments} moments and resumed (seed ${seed})`, {
  concurrency: 2,
}, () => {
  const whole = new DemoPlace();
  let events = 0;
  let wanted: ReturnType<typeof endOf>;

  before(async () => {
    const { code, lines, errors } = await whole.forge(...demo, whole.folder);
    assert.equal(code, 0, errors);
    const record = await readRecord(whole);
    events = record.family.reduce((sum, each) => sum + each.events.length, 0);
    wanted = endOf(whole, record);
    assert.ok(lines.length > events);
    checkRecord(record);
  });
  after(() => whole.remove());

  for (let moment = 0; moment < moments; moment++) {
    it(`ends the same when killed at ${moment + 1}/${moments}`, async (t) => {
      const random = randomOf(seed + moment);
      const at = 1 + Math.floor(((moment + random()) / moments) * (events - 2));
      const lag = Math.floor(random() * longestLag);
      const place = new DemoPlace();
      t.after(() => place.remove());
      const first = place.start(...demo, place.folder);
      let { seen, isDone } = await killAfter(first, at, lag);
      const where = () =>
        seen
          .slice(-3)
          .map(({ agent, event }) => `${agent} ${event.type}`)
          .join(', ');
      t.diagnostic(`killed ${lag} ms after event ${at} of ${events}: ${where()}`);
      const root = seen[0]?.rootId ?? '';
      await checkHealth(await readRecord(place));
      if (killedTwice.has(moment) && !isDone) {
        const more = seen.length + 1 + Math.floor(random() * ((events - at) / 2));
        const again = await killAfter(place.start('resume', root, '--json'), more, lag);
        seen = [...seen, ...again.seen];
        isDone = again.isDone;
        t.diagnostic(`killed again at event ${more}: ${where()}`);
      }
      if (!isDone) {
        const { code, errors } = await place.forge('resume', root, '--json');
        assert.equal(code, 0, errors);
      }
      const record = await readRecord(place);
      assert.deepEqual(endOf(place, record), wanted);
      checkRecord(record);
      checkNothingLost(record, seen);
      await checkService(record);
      await place.remove();
      assert.deepEqual(await place.staying(), []);
    });
  }
});

/**
 * Kills it when it has told of so many events of the pipeline. Gives those it told of, and whether it
 * was done before the kill came: near the end nothing can hold it.
 */
async function killAfter(
  forge: ForgeProcess,
  count: number,
  lag: number,
): Promise<{ readonly seen: readonly EventLine[]; readonly isDone: boolean }> {
  const seen: EventLine[] = [];
  let timer: NodeJS.Timeout | undefined;
  forge.onLine((line) => {
    const told = eventOf(line);
    if (told === undefined || isFirstDeployment(told)) return;
    seen.push(told);
    if (seen.length === count) timer = setTimeout(() => forge.signal('SIGKILL'), lag);
  });
  const { code, signal, errors } = await forge.ended;
  clearTimeout(timer);
  const isDone = code === 0 && seen.length > count;
  assert.ok(isDone || signal === 'SIGKILL', `it ended before it was killed: ${errors}`);
  return { seen, isDone };
}

/** The demo begins with a deployment, which is a run of its own. */
function isFirstDeployment({ rootId, runId, agent }: EventLine): boolean {
  return rootId === runId && /(?:^|\/)deploy$/.test(agent);
}

/** Every log is whole, and nothing in it has been done twice. */
function checkRecord({ family, deployments }: DemoRecord): void {
  for (const { run, events } of family) {
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
      `${run.agent}: no event is missing`,
    );
    const ended = events.flatMap((event) => (event.type === 'tool.finished' ? [event.callId] : []));
    assert.equal(new Set(ended).size, ended.length, `${run.agent}: each call has one result`);
    const outcomes = events.filter(({ type }) => type === 'outcome.recorded');
    assert.equal(outcomes.length, 1, `${run.agent}: one outcome`);
  }
  const children = family.flatMap(({ run }) =>
    run.parentId === undefined ? [] : [`${run.parentId} ${run.parentCallId}`],
  );
  assert.equal(new Set(children).size, children.length, 'one run per call');
  assert.equal(new Set(deployments.map(({ id }) => id)).size, 3);
  const live = deployments.filter(({ state }) => state === 'live');
  assert.deepEqual(
    live.map(({ verified }) => verified),
    [true],
  );
  const back = deployments.filter(({ state }) => state === 'rolled_back');
  assert.equal(back.length, 1);
  assert.match(back[0]?.reason ?? '', /500/);
}

/** What was told before a kill is in the log, word by word. */
function checkNothingLost({ family }: DemoRecord, seen: readonly EventLine[]): void {
  const logs = new Map(family.map(({ run, events }) => [run.id, events]));
  for (const { runId, event } of seen) {
    assert.deepEqual(JSON.parse(JSON.stringify(logs.get(runId)?.[event.seq - 1])), event);
  }
}

/** The service does not notice that the demo was killed. */
async function checkHealth({ deployments }: DemoRecord): Promise<string> {
  const url = deployments.find(({ state }) => state === 'live')?.url ?? '';
  assert.equal((await fetch(new URL('/health', url))).status, 200);
  return url;
}

async function checkService(record: DemoRecord): Promise<void> {
  const body = JSON.stringify({ url: 'https://example.org/kept', code: 'kept' });
  const made = await fetch(new URL('/links', await checkHealth(record)), { method: 'POST', body });
  assert.equal(made.status, 201);
  assert.deepEqual(await made.json(), { code: 'kept', url: 'https://example.org/kept' });
}

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
