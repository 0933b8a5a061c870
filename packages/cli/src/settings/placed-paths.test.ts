import assert from 'node:assert/strict';
import { it } from 'node:test';
import { placedFlags } from './placed-paths.ts';

it('paths on a command line begin where it was written', () => {
  const place = { cwd: '/projects/shop/src', config: { home: '/home/me' } };
  assert.deepEqual(
    placedFlags({ model: 'scripted:../story.yaml', store: 'runs.db', profiles_dir: '~/p' }, place),
    {
      model: 'scripted:/projects/shop/story.yaml',
      store: '/projects/shop/src/runs.db',
      profiles_dir: '/home/me/p',
    },
  );
  const placed = { model: 'scripted:/a/b.yaml', deploy: { target: 'process' } };
  assert.deepEqual(placedFlags(placed, { ...place, cwd: '/elsewhere' }), placed);
});
