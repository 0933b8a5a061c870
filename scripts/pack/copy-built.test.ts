import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withRepository } from '../checks/planted-repository.ts';
import { copyBuilt } from './copy-built.ts';

test('copies what has a source, with the source in its map, and nothing stale', () => {
  const map = JSON.stringify({ version: 3, sources: ['../../src/a/x.ts'], mappings: '' });
  const files = {
    'src/a/x.ts': 'export const x: number = 1;\n',
    'dist/a/x.js': 'export const x = 1;\n//# sourceMappingURL=x.js.map',
    'dist/a/x.js.map': map,
    'dist/a/x.d.ts': 'export declare const x: number;\n//# sourceMappingURL=x.d.ts.map',
    'dist/a/x.d.ts.map': '{}',
    'dist/gone.js': '1;',
    'dist/gone.d.ts': 'export {};',
  };
  withRepository(files, (folder) => {
    const target = join(folder, 'out');
    copyBuilt(folder, target);
    assert.deepEqual(globSync('**/*.*', { cwd: target }).sort(), [
      'a/x.d.ts',
      'a/x.js',
      'a/x.js.map',
    ]);
    const copied = JSON.parse(readFileSync(join(target, 'a/x.js.map'), 'utf8'));
    assert.deepEqual(copied.sourcesContent, ['export const x: number = 1;\n']);
    assert.doesNotMatch(readFileSync(join(target, 'a/x.d.ts'), 'utf8'), /sourceMappingURL/);
  });
});
