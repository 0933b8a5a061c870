import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { loadPipeline } from './load-pipeline.ts';

const data = {
  name: 'one',
  input: { type: 'object' },
  nodes: { a: { agent: 'coder', input: {} } },
};

function project(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'forge-pipeline-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

describe('the pipeline of a project', () => {
  it('stands in forge.yaml itself, in a file of its own, or in a module', async (t) => {
    const root = project(t, {
      'p.yaml': 'name: one\ninput: { type: object }\nnodes: { a: { agent: coder, input: {} } }\n',
      'p.ts': `export const pipeline = ${JSON.stringify(data)};`,
    });
    for (const setting of [data, 'p.yaml', './p.ts']) {
      assert.deepEqual(Object.keys((await loadPipeline(setting, root)).nodes), ['a']);
    }
  });

  it('that cannot be read is named', async (t) => {
    const root = project(t, { 'bad.yaml': 'nodes: [', 'none.ts': 'export const other = 1;' });
    for (const file of ['bad.yaml', 'gone.yaml']) {
      await assert.rejects(loadPipeline(file, root), (error: Error) =>
        error.message.includes(file),
      );
    }
    await assert.rejects(loadPipeline('none.ts', root), { code: 'invalid_pipeline' });
  });
});
