import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freshProgress } from '@forge/core';
import { createMemorySessions } from './memory-sessions.ts';

const progress = (retries: number) => ({ ...freshProgress, retries });

describe('createMemorySessions', () => {
  it('gives back what was saved last', async () => {
    const sessions = createMemorySessions({ now: () => 0 });
    sessions.save('a', progress(1));
    sessions.save('a', progress(2));
    assert.equal((await sessions.load('a'))?.retries, 2);
    assert.equal(await sessions.load('b'), undefined);
  });

  it('forgets the one not used the longest', async () => {
    const sessions = createMemorySessions({ now: () => 0, most: 2 });
    sessions.save('a', progress(1));
    sessions.save('b', progress(2));
    await sessions.load('a');
    sessions.save('c', progress(3));
    assert.equal(await sessions.load('b'), undefined);
    assert.equal((await sessions.load('a'))?.retries, 1);
  });

  it('forgets one that rested too long, whether or not it is asked for', async () => {
    let time = 0;
    const sessions = createMemorySessions({ now: () => time, pause: 100 });
    sessions.save('a', progress(1));
    sessions.save('b', progress(1));
    time = 100;
    assert.equal(await sessions.load('a'), undefined);
    sessions.save('c', progress(1));
    assert.equal(sessions.size, 1);
  });

  it('keeps ten thousand', () => {
    const sessions = createMemorySessions({ now: () => 0 });
    for (let at = 0; at < 30_000; at++) sessions.save(`s${at}`, freshProgress);
    assert.equal(sessions.size, 10_000);
  });

  it('holds no more than it may, whatever was in the calls', async () => {
    const sessions = createMemorySessions({ now: () => 0, characters: 1_000 });
    const large = { ...freshProgress, recent: [{ calls: 'x'.repeat(300), results: '' }] };
    for (const key of ['a', 'b', 'c', 'd', 'd', 'd']) sessions.save(key, large);
    assert.equal(sessions.size, 3);
    assert.equal(await sessions.load('a'), undefined);
    assert.deepEqual(await sessions.load('d'), large);
    sessions.save('e', { ...freshProgress, facts: ['y'.repeat(2_000)] });
    assert.equal(sessions.size, 0);
  });
});

it('two requests of one session at once lose no step', async () => {
  const sessions = createMemorySessions({ now: () => 0 });
  sessions.save('key', { ...freshProgress, facts: ['read'] });
  const [one, other] = await Promise.all([sessions.load('key'), sessions.load('key')]);
  sessions.save('key', { ...freshProgress, facts: [...(one?.facts ?? []), 'edit'] });
  sessions.save('key', { ...freshProgress, facts: [...(other?.facts ?? []), 'test'] });
  assert.deepEqual((await sessions.load('key'))?.facts, ['read', 'edit', 'test']);
});
