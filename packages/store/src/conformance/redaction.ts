import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedactor, type Happening, text, userMessage } from '@forge/core';
import { note } from './happenings.ts';
import { leasedRun, type OpenTestDatabase, onBench } from './kit.ts';

const secret = `ghp_${'aB3dE5gH7jK9mN2pQ4sT6vW8yZ1xC0rF'.repeat(2).slice(0, 36)}`;
const clean = '[redacted:github-token]';
const payload = {
  messages: [{ role: 'user', content: [{ type: 'text', text: `use ${secret}` }] }],
};

export function redactionConformance(open: OpenTestDatabase): void {
  describe('redaction', () => {
    it(
      'keeps secrets out of everything that is written',
      onBench(open, async ({ store, clock }) => {
        const inbox = [{ kind: 'input', payload }];
        const { fence } = await leasedRun(store, { id: 'r', title: `Use ${secret}`, inbox });
        await store.send('r', { kind: 'input', payload });
        const happenings: readonly Happening[] = [
          { type: 'input.received', messages: [userMessage(secret)] },
          {
            type: 'tool.started',
            callId: 'c',
            name: 't',
            args: { token: secret },
            idempotencyKey: 'k',
          },
          { type: 'tool.finished', callId: 'c', name: 't', outcome: 'ok', content: [text(secret)] },
          note(`${'x'.repeat(70_000)} ${secret}`),
          { type: 'run.finished', status: 'failed', reason: 'model_failed', explanation: secret },
        ];
        await store.append({
          runId: 'r',
          fence,
          expectedSeq: 0,
          happenings,
          at: clock.time,
          approvals: [{ id: 'a', callId: 'c', tool: 't', proposed: { token: secret } }],
          children: [{ id: 'child', agent: 'writer', inbox }],
          sends: [{ runId: 'r', kind: 'input', payload }],
        });
        await store.decide(
          [{ id: 'a', approved: true, by: 'ann', args: { token: secret }, reason: secret }],
          clock.time,
        );
        await store.memory.remember({ scope: 's', key: 'k', value: `The key is ${secret}.` });
        const plain = {
          image: `sha256:${'0123456789abcdef'.repeat(4)}`,
          folder: '/srv/releases/7',
        };
        await store.deployments.begin({
          id: 'd',
          project: 'shop',
          target: 'local',
          commit: 'c1',
          startedAt: clock.time,
        });
        await store.deployments.change('d', ['building'], {
          state: 'failed',
          url: `http://ann:${secret}@127.0.0.1/`,
          reason: `It printed ${secret}.`,
          detail: { ...plain, token: secret },
        });
        const { detail } = (await store.deployments.get('d')) ?? {};
        assert.deepEqual(detail, { ...plain, token: clean });
        const blob = await store.putBlob(Buffer.from(`é ${secret}`));
        const picture = Buffer.from([0xff, ...Buffer.from(secret)]);
        assert.deepEqual(
          Buffer.from((await store.blob(await store.putBlob(picture))) ?? []),
          picture,
          'what is no text stays as it is',
        );
        const written = JSON.stringify([
          Buffer.from((await store.blob(blob)) ?? []).toString(),
          await store.run('r'),
          await store.events('r'),
          await store.inbox('r'),
          await store.inbox('child'),
          await store.approval('a'),
          await store.memory.recall('s', 'k'),
          await store.deployments.get('d'),
        ]);
        assert.ok(!written.includes(secret.slice(4)));
        assert.equal((await store.events('r')).length, happenings.length);
        assert.deepEqual(
          (await store.events('r')).map((event) => JSON.stringify(event).includes(clean)),
          happenings.map(() => true),
        );
        assert.equal((await store.run('r'))?.explanation, clean);
      }),
    );

    it(
      'says what it takes out, for writers that fold what they append',
      onBench(open, async ({ store }) => {
        assert.equal(store.redactor?.redact(secret), clean);
      }),
    );

    it(
      'takes what it is told to, or nothing',
      onBench(open, async ({ database }) => {
        for (const redact of [false, createRedactor({ values: ['open sesame'] })] as const) {
          const store = await database.connect({ redact });
          try {
            const value = 'They say open sesame.';
            const { fact } = await store.memory.remember({ scope: 's', key: 'k', value });
            assert.equal(fact.value, redact ? 'They say [redacted:configured].' : value);
            assert.equal(store.redactor, redact || undefined);
          } finally {
            await store.close();
          }
        }
      }),
    );
  });
}
