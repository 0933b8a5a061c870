import assert from 'node:assert/strict';
import { it } from 'node:test';
import { diffStat } from './diff-stat.ts';

it('counts the lines of each file, and takes none of them for a heading', () => {
  const text = [
    'diff --git a/a.ts b/a.ts',
    'index 1..2 100644',
    '--- a/a.ts',
    '+++ b/a.ts',
    '@@ -1,2 +1,2 @@',
    '--- a comment',
    '+++ counter',
    ' same',
    'diff --git a/logo.png b/logo.png',
    'Binary files a/logo.png and b/logo.png differ',
  ].join('\n');
  assert.deepEqual(diffStat(text), [
    { path: 'a.ts', added: 1, removed: 1 },
    { path: 'logo.png', added: 0, removed: 0 },
  ]);
  assert.deepEqual(diffStat(''), []);
});
