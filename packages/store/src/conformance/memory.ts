import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { factLimits } from '../memory/memory-store.ts';
import { failsWith, type OpenTestDatabase, onBench } from './kit.ts';

const scope = 'user:ann';

export function memoryConformance(open: OpenTestDatabase): void {
  describe('memory', () => {
    it(
      'remembers once, and changes what is under a key',
      onBench(open, async ({ store: { memory }, clock }) => {
        const began = clock.time;
        const first = await memory.remember({ scope, key: 'tea', value: 'green', source: 'run 1' });
        assert.equal(first.outcome, 'new');
        clock.advance(1_000);
        const same = await memory.remember({ scope, key: 'tea', value: 'green' });
        assert.deepEqual(same, { fact: first.fact, outcome: 'same' });
        const changed = await memory.remember({ scope, key: 'tea', value: 'black' });
        assert.equal(changed.outcome, 'changed');
        const fact = {
          scope,
          key: 'tea',
          value: 'black',
          source: undefined,
          createdAt: began,
          updatedAt: began + 1_000,
        };
        assert.deepEqual(changed.fact, fact);
        assert.deepEqual(await memory.recall(scope, 'tea'), fact);
        assert.equal(await memory.recall('user:bob', 'tea'), undefined);
      }),
    );

    it(
      'takes the same words without a key for the same fact',
      onBench(open, async ({ store: { memory } }) => {
        const { fact } = await memory.remember({ scope, value: 'Ann likes green tea.' });
        const again = await memory.remember({ scope, value: 'ann likes GREEN tea' });
        assert.equal(again.outcome, 'changed');
        assert.equal(again.fact.key, fact.key);
        const other = await memory.remember({ scope, value: 'Ann likes black tea.' });
        assert.notEqual(other.fact.key, fact.key);
        assert.equal((await memory.remember({ scope, value: '🙂' })).outcome, 'new');
        assert.equal((await memory.facts(scope)).items.length, 3);
      }),
    );

    it(
      'keeps any text as it is, but what no database can',
      onBench(open, async ({ store: { memory } }) => {
        for (const value of ['"\'; drop table facts; --', '日本語 🙂', 'a\nb\tc', '\\x00 %s $1']) {
          await memory.remember({ scope, key: value, value });
          assert.equal((await memory.recall(scope, value))?.value, value);
        }
        const { fact } = await memory.remember({ scope: 'a\0', key: 'b\0', value: 'c\0\ud800' });
        assert.equal(fact.value, 'c\uFFFD\uFFFD');
        assert.deepEqual(await memory.recall('a\0', 'b\0'), fact);
      }),
    );

    it(
      'refuses what is empty or too long',
      onBench(open, async ({ store: { memory } }) => {
        const fact = { scope, key: 'k', value: 'v' };
        for (const name of ['scope', 'key', 'value'] as const) {
          await failsWith('invalid_options', memory.remember({ ...fact, [name]: ' ' }));
          const long = 'x'.repeat(factLimits[name] + 1);
          const said = await failsWith(
            'invalid_options',
            memory.remember({ ...fact, [name]: long }),
          );
          assert.match(said, new RegExp(`${name}.*${factLimits[name]}`));
        }
        assert.deepEqual((await memory.facts(scope)).items, []);
      }),
    );

    it(
      'refuses more than a scope may hold, and still changes what is there',
      onBench(open, async ({ store: { memory }, database }) => {
        await memory.remember({ scope, key: 'first', value: 'v' });
        await database.execute(
          `insert into facts (scope, key, value, created_at, updated_at)
            with recursive numbers (n) as (select 2 union all select n + 1 from numbers where n < ${factLimits.facts})
            select '${scope}', 'key ' || n, 'v', 0, 0 from numbers`,
        );
        await failsWith('not_allowed', memory.remember({ scope, key: 'more', value: 'v' }));
        const changed = await memory.remember({ scope, key: 'first', value: 'w' });
        assert.equal(changed.outcome, 'changed');
        await memory.remember({ scope: 'user:bob', key: 'more', value: 'v' });
      }),
    );

    it(
      'forgets one, and what is old',
      onBench(open, async ({ store: { memory }, clock }) => {
        for (const key of ['a', 'b', 'c', 'd']) {
          await memory.remember({ scope, key, value: `fact ${key}` });
          clock.advance(1_000);
        }
        await memory.remember({ scope: 'user:bob', key: 'a', value: 'fact a' });
        assert.equal(await memory.forget(scope, 'b'), true);
        assert.equal(await memory.forget(scope, 'b'), false);
        assert.equal(await memory.forgetOlder({ before: clock.time, scope, limit: 1 }), 1);
        assert.deepEqual(
          (await memory.facts(scope)).items.map(({ key }) => key),
          ['d', 'c'],
        );
        assert.equal(await memory.forgetOlder({ before: clock.time + 1 }), 3);
        assert.deepEqual(await memory.search({ scope, query: 'fact' }), []);
      }),
    );

    it(
      'pages by key, newest first',
      onBench(open, async ({ store: { memory }, clock }) => {
        const keys = Array.from({ length: 7 }, (_, index) => `k${index}`);
        for (const key of keys) {
          await memory.remember({ scope, key, value: key });
          if (key !== 'k3') clock.advance(1_000); // Two of the same moment.
        }
        const found: string[] = [];
        let after: string | undefined;
        do {
          const page = await memory.facts(scope, { limit: 2, ...(after && { after }) });
          found.push(...page.items.map(({ key }) => key));
          after = page.next;
          await memory.remember({ scope, key: `late ${found.length}`, value: 'comes in between' });
        } while (after !== undefined);
        assert.deepEqual(found, keys.toReversed());
        for (const none of ['nonsense', '5:x']) {
          await failsWith('invalid_options', memory.facts(scope, { after: none }));
        }
      }),
    );

    it(
      'remembers a key once when many say it at the same time',
      onBench(open, async ({ store, connect }) => {
        const other = await connect();
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? store : other).memory.remember({ scope, key: 'k', value: 'v' }),
          ),
        );
        assert.equal(outcomes.filter(({ outcome }) => outcome === 'new').length, 1);
        assert.equal(outcomes.filter(({ outcome }) => outcome === 'same').length, 19);
        assert.equal((await store.memory.search({ scope, query: 'v' })).length, 1);
      }),
    );
  });
}
