import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { ruleOf } from '../learn/rule.ts';
import type { ProxyEvent } from '../proxy-event.ts';
import { createStats } from '../stats/create-stats.ts';
import type { UsageReport } from '../stats/usage-report.ts';
import { FakeDocument } from './fake-document.test.ts';
import { livePage } from './live-page.ts';

const html = livePage.body;
const script = /<script>([\s\S]*)<\/script>/.exec(html)?.[1] ?? '';

/** The page in a browser of its own, with the clock and the server in the test's hands. */
function openPage(serve: (key: string | undefined) => { status: number; body?: UsageReport }) {
  const document = new FakeDocument();
  const timers: (() => void)[] = [];
  let asked = 0;
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  runInNewContext(script, {
    document,
    location: { origin: 'http://127.0.0.1:8081' },
    navigator: {},
    AbortSignal: { timeout: () => undefined },
    clearTimeout: () => {},
    setTimeout: (run: () => void) => timers.push(run),
    fetch: async (url: string, { headers }: { headers: Record<string, string> }) => {
      asked += 1;
      assert.equal(url, '/forge/usage');
      const { status, body } = serve(headers.authorization);
      return { status, ok: status === 200, json: async () => JSON.parse(JSON.stringify(body)) };
    },
  });
  return {
    document,
    settled,
    get asked() {
      return asked;
    },
    textOf: (id: string) => document.getElementById(id).textContent,
    async tick() {
      await settled();
      for (const run of timers.splice(0)) run();
      await settled();
    },
  };
}

const event: ProxyEvent = {
  at: 0,
  took: 1_500,
  method: 'POST',
  path: '/v1/chat/completions',
  model: '<img src=x onerror=alert(1)>',
  tools: 1,
  status: 200,
  outcome: 'retried',
  attempts: [
    { rung: 'native', problems: ['bad_arguments'], tone: 1, mended: [] },
    { rung: 'constrained', problems: [], format: 'hermes', mended: ['trailing_comma'] },
  ],
};

describe('the page', () => {
  it('allows its own script and style, and loads nothing', () => {
    const policy = livePage.headers[livePage.headers.indexOf('content-security-policy') + 1] ?? '';
    for (const [tag, text] of [
      ['script', script],
      ['style', /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? ''],
    ] as const) {
      assert.ok(text.length > 100);
      const hash = createHash('sha256').update(text).digest('base64');
      assert.ok(policy.includes(`${tag}-src 'sha256-${hash}'`));
    }
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(html, /(?:src|href)="(?!data:)/);
    assert.doesNotMatch(html, /innerHTML|insertAdjacentHTML|document\.write| style="| on[a-z]+="/);
  });

  it('has a place for everything the script looks for', () => {
    const wanted = [...script.matchAll(/(?:place|show|showBars)\('([a-z-]+)'/g)].map(
      ([, id]) => id,
    );
    assert.ok(wanted.length > 15);
    for (const id of wanted) assert.ok(html.includes(`id="${id}"`), id);
  });

  it('greets with a line of configuration while nothing has come', async () => {
    const stats = createStats({ now: () => 0 });
    const body = await stats.report();
    const opened = openPage(() => ({ status: 200, body }));
    await opened.settled();
    assert.equal(opened.document.getElementById('welcome').hidden, false);
    assert.equal(opened.document.getElementById('live').hidden, true);
    assert.match(opened.textOf('lines'), /OPENAI_BASE_URL=http:\/\/127\.0\.0\.1:8081\/v1/);
    assert.equal(opened.textOf('state'), 'live');
  });

  it('shows what happened, every second anew, with names as text', async () => {
    let time = 0;
    const stats = createStats({ now: () => time });
    stats.record(event);
    stats.record({
      ...event,
      model: 'm',
      outcome: 'failed',
      attempts: [],
      status: 504,
      error: { kind: 'timeout', message: '' },
    });
    const lesson = { requests: 1, at: 1, formats: { hermes: 1 }, nudges: {}, temperatures: {} };
    const trials = {
      rungs: { nudged: { tries: 4, wins: 3 } },
      modes: { native: { tries: 2, wins: 1 } },
    };
    assert.equal(ruleOf(trials).mode, 'native');
    let body: UsageReport = {
      ...(await stats.report()),
      backend: 'http://b',
      lessons: { m: { ...lesson, ...trials } },
    };
    const opened = openPage(() => ({ status: 200, body }));
    await opened.settled();
    assert.match(opened.textOf('headline'), /^1 reply was set right before a client saw it\./);
    assert.match(opened.textOf('facts'), /backend http:\/\/b/);
    assert.ok(opened.textOf('models').includes('<img src=x onerror=alert(1)>'));
    assert.match(opened.textOf('formats'), /hermes1/);
    assert.match(opened.textOf('mended'), /trailing comma1/);
    assert.match(opened.textOf('problems'), /bad arguments1/);
    assert.match(opened.textOf('lessons'), /75 % of 4/);
    assert.match(opened.textOf('recent'), /timeout \(504\)/);
    assert.match(
      opened.textOf('recent'),
      /bad arguments → held to the schema: found as hermes, mended trailing comma/,
    );
    time = 2_000;
    for (let count = 0; count < 8; count++) stats.record({ ...event, outcome: 'clean' });
    body = { ...body, ...(await stats.report()) };
    await opened.tick();
    assert.match(opened.textOf('rate'), /^4 requests/);
    assert.match(opened.textOf('tiles'), /^10requests80 %clean/);
  });

  it('asks for a key when it needs one, and keeps it', async () => {
    const stats = createStats({ now: () => 0 });
    stats.record(event);
    const body = await stats.report();
    const opened = openPage((key) =>
      key === 'Bearer k' ? { status: 200, body } : { status: 401 },
    );
    await opened.tick();
    assert.equal(opened.asked, 1, 'does not ask again by itself');
    assert.equal(opened.document.getElementById('key').hidden, false);
    opened.document.getElementById('secret').value = ' k ';
    opened.document.getElementById('key').listeners.submit?.({ preventDefault: () => {} });
    await opened.tick();
    await opened.tick();
    assert.equal(opened.document.getElementById('key').hidden, true);
    assert.equal(opened.textOf('state'), 'live');
    assert.equal(opened.document.getElementById('secret').value, '');
  });

  it('says when the proxy is away, and rests while nobody looks', async () => {
    const opened = openPage(() => {
      throw new Error('gone');
    });
    await opened.settled();
    assert.match(opened.textOf('state'), /not reachable/);
    opened.document.visibilityState = 'hidden';
    await opened.tick();
    await opened.tick();
    assert.equal(opened.asked, 2);
    opened.document.visibilityState = 'visible';
    opened.document.listeners.visibilitychange?.({});
    await opened.settled();
    assert.equal(opened.asked, 3);
  });
});
