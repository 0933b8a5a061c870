import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createMemoryBackend } from '@forge/sandbox';
import { createKit, type Kit } from './sandbox-fixtures.test.ts';

/** A played shell knows less than a real one; what agents in tests need works there too. */
describe('tools in a sandbox that is played in memory', () => {
  const backend = createMemoryBackend();
  let kit: Kit;
  before(async () => {
    kit = createKit(await backend.start());
  });
  after(() => backend.close());

  it('read, write, change, find and run', async () => {
    const { ok, fails } = kit;
    await ok('write', { path: 'a/b.txt', content: 'one\ntwo\n' });
    assert.equal(await ok('read', { path: 'a/b.txt', offset: 2 }), 'two\n');
    await ok('edit', { path: 'a/b.txt', old_text: 'two', new_text: '2' });
    await ok('apply_patch', { patch: '--- a/a/b.txt\n+++ b/a/b.txt\n@@ -1 +1 @@\n-one\n+1\n' });
    assert.equal(await ok('read', { path: 'a/b.txt' }), '1\n2\n');
    assert.match(await ok('search', { pattern: '2' }), /^a\/b\.txt:2: 2\n\[Searched with grep/);
    assert.match(await ok('search', { pattern: '2', path: 'a/b.txt' }), /^a\/b\.txt:2: 2\n/);
    assert.equal(await ok('glob', { pattern: '*.txt' }), 'a/b.txt');
    assert.equal(await ok('list', { recursive: true }), 'a/\na/b.txt');
    assert.equal(await ok('shell', { command: 'echo out; exit 3' }), 'Exit code 3\nout\n');
    assert.match(await fails('read', { path: '../x' }), /escapes allowed directory/);
    assert.match(await fails('git_status', {}), /git is not in this sandbox/);
  });
});
