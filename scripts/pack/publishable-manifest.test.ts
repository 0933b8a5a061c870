import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishableManifest } from './publishable-manifest.ts';

const manifest = {
  name: '@forge/x',
  version: '1.0.0',
  exports: { '.': './src/index.ts', './testing': './src/testing/index.ts' },
  dependencies: { zod: '^4.0.0' },
  devDependencies: { typescript: '*' },
  scripts: { prepare: 'exit 1' },
};

test('points exports at what was built, and leaves development behind', () => {
  assert.deepEqual(publishableManifest(JSON.stringify(manifest)), {
    name: '@forge/x',
    version: '1.0.0',
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './testing': { types: './dist/testing/index.d.ts', default: './dist/testing/index.js' },
    },
    dependencies: { zod: '^4.0.0' },
  });
});

test('refuses an export that is not a source file', () => {
  const odd = { ...manifest, exports: { '.': './index.js' } };
  assert.throws(() => publishableManifest(JSON.stringify(odd)), /exports\["\."\] is \.\/index\.js/);
});
