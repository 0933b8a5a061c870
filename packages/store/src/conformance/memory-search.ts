import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MemoryStore } from '../memory/memory-store.ts';
import { type OpenTestDatabase, onBench } from './kit.ts';
import { Seeded } from './seeded.ts';

const scope = 'user:ann';

async function keysFor(memory: MemoryStore, query: string): Promise<readonly string[]> {
  return (await memory.search({ scope, query })).map(({ key }) => key);
}

export function memorySearchConformance(open: OpenTestDatabase): void {
  describe('memory search', () => {
    it(
      'ranks by how many and how rare the words are, and by the key',
      onBench(open, async ({ store: { memory }, clock }) => {
        const facts = {
          favoriteColor: 'The user likes blue.',
          city: 'The user lives in Zürich, in the Kreis 4.',
          deploy_target: 'The user deploys to Kubernetes in Frankfurt.',
          pets: 'The user has a cat; its favorite toy is a mouse.',
        };
        for (const [key, value] of Object.entries(facts)) {
          clock.advance(1_000);
          await memory.remember({ scope, key, value });
        }
        await memory.remember({ scope: 'user:bob', key: 'city', value: 'Bob lives in Zurich.' });
        assert.deepEqual(await keysFor(memory, 'favorite color'), ['favoriteColor', 'pets']);
        assert.deepEqual(await keysFor(memory, 'ZURICH?'), ['city']);
        assert.deepEqual((await keysFor(memory, 'what is the cat of the user'))[0], 'pets');
        assert.deepEqual(await keysFor(memory, 'deploy'), ['deploy_target']);
        assert.deepEqual(await keysFor(memory, 'mous'), ['pets'], 'the beginning of a word');
        assert.deepEqual(await keysFor(memory, 'ca'), [], 'too short for a beginning');
        assert.deepEqual(
          await keysFor(memory, 'user'),
          ['pets', 'deploy_target', 'city', 'favoriteColor'],
          'of equals the newest',
        );
        assert.deepEqual(
          await memory.search({ scope, query: 'user', limit: 1 }).then((f) => f.length),
          1,
        );
        assert.deepEqual(await keysFor(memory, 'nobody'), []);
        assert.deepEqual(await keysFor(memory, ' ?! '), []);
      }),
    );

    it(
      'finds what a fact says now, and nothing it said before',
      onBench(open, async ({ store: { memory } }) => {
        await memory.remember({ scope, key: 'tea', value: 'green' });
        await memory.remember({ scope, key: 'tea', value: 'black' });
        assert.deepEqual(await keysFor(memory, 'green'), []);
        assert.deepEqual(await keysFor(memory, 'black'), ['tea']);
        await memory.forget(scope, 'tea');
        assert.deepEqual(await keysFor(memory, 'black tea'), []);
      }),
    );

    it(
      'finds words where nothing stands between them',
      onBench(open, async ({ store: { memory } }) => {
        await memory.remember({ scope, key: 'pet', value: '彼女は黒猫を飼っている' });
        await memory.remember({ scope, key: 'food', value: '寿司が好き' });
        assert.equal((await keysFor(memory, '黒猫'))[0], 'pet');
        assert.deepEqual(await keysFor(memory, '猫'), ['pet']);
        assert.deepEqual(await keysFor(memory, '寿司'), ['food']);
      }),
    );

    it(
      'takes a query for words, whatever is in it',
      onBench(open, async ({ store: { memory } }) => {
        await memory.remember({ scope, key: 'k', value: 'alpha beta' });
        for (const query of [
          'alpha OR beta',
          'alpha AND gamma',
          'NOT alpha',
          '"alpha',
          "alpha' | !beta",
          'value:alpha',
          '-alpha',
          'alpha*',
          'NEAR(alpha)',
          '(alpha',
          "alpha'); drop table facts; --",
          'alpha\0',
          '\\alpha',
          'alpha:*A & <-> beta',
        ]) {
          assert.deepEqual(await keysFor(memory, query), ['k'], query);
        }
        const random = new Seeded(11);
        for (let times = 0; times < 40; times += 1) {
          const codes = Array.from({ length: 1 + random.below(30) }, () => random.below(0x3100));
          await keysFor(memory, String.fromCharCode(...codes));
          const ascii = codes.map((code) => 32 + (code % 95));
          const query = `${String.fromCharCode(...ascii)} alpha`;
          assert.deepEqual(await keysFor(memory, query), ['k'], query);
        }
        assert.deepEqual(await keysFor(memory, `${'noise '.repeat(100_000)} alpha`), []);
        assert.deepEqual(await keysFor(memory, `alpha ${'noise '.repeat(100_000)}`), ['k']);
      }),
    );
  });
}
