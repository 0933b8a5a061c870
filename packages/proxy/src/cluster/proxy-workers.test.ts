import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '@forge/core/testing';
import { startScriptedServer } from '@forge/models/testing';
import { usageReportSchema } from '../stats/usage-report.ts';
import { serveWorkers } from './serve-workers.ts';

const tool = {
  type: 'function',
  function: { name: 'get', parameters: { type: 'object', properties: { n: { type: 'number' } } } },
};

describe('the proxy in workers', { timeout: 600_000 }, () => {
  it('asks a backend with one slot for one reply at a time, and counts them all', async () => {
    let atWork = 0;
    let most = 0;
    const backend = await startScriptedServer({
      wire: 'openai-chat',
      script: () => ({
        delay: async () => {
          atWork += 1;
          most = Math.max(most, atWork);
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
          atWork -= 1;
        },
        say: calls(['get', { n: '3' }]),
      }),
    });
    const proxy = await serveWorkers({
      workers: 2,
      options: { backend: { url: backend.url }, port: 0, serialize: true },
    });
    try {
      const ask = async () => {
        const answer = await fetch(`${proxy.url}/v1/chat/completions`, {
          method: 'POST',
          // A connection of its own, so that both workers get some.
          headers: { 'content-type': 'application/json', connection: 'close' },
          body: JSON.stringify({
            model: 'm',
            messages: [{ role: 'user', content: 'Go' }],
            tools: [tool],
          }),
        });
        const { choices } = Object(await answer.json());
        return choices?.[0]?.message?.tool_calls?.[0]?.function?.arguments;
      };
      const answers = await Promise.all(Array.from({ length: 24 }, ask));
      assert.deepEqual(new Set(answers), new Set(['{"n":3}']));
      assert.equal(most, 1);
      const report = async () =>
        usageReportSchema.parse(await (await fetch(`${proxy.url}/forge/usage`)).json());
      let { total } = await report();
      while (total.outcomes.repaired < 24) ({ total } = await report());
      assert.equal(total.outcomes.repaired, 24);
      assert.equal(total.mended.read_as_number, 24);
      const page = await fetch(`${proxy.url}/forge/`);
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(await page.text(), /Forge proxy/);
    } finally {
      await proxy.close({ grace: 0 });
      await backend.close();
    }
  });
});
