import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPackageReadmes } from './package-readmes.ts';
import { manifest, withRepository } from './planted-repository.ts';

const readme = (text: string) => ({
  'packages/cli/package.json': manifest('@forge/cli'),
  'packages/cli/README.md': text,
});
const example = '```ts\nconst one = 1;\n\nconst two = 2;\n```\n';

test('takes a short text with one example', () => {
  const text = `# @forge/cli\n\nThe command.\n\n${example}\n\`\`\`text\nout\n\`\`\`\n`;
  assert.deepEqual(withRepository(readme(text), checkPackageReadmes), []);
});

test('refuses a package without one', () => {
  const files = { 'packages/cli/package.json': manifest('@forge/cli') };
  const [violation] = withRepository(files, checkPackageReadmes);
  assert.equal(violation?.file, 'packages/cli/README.md');
  assert.match(violation?.problem ?? '', /missing/);
});

test('refuses no example, and two', () => {
  const [none] = withRepository(readme('# @forge/cli\n'), checkPackageReadmes);
  assert.match(none?.problem ?? '', /has 0/);
  const [two] = withRepository(readme(`${example}\n${example}`), checkPackageReadmes);
  assert.match(two?.problem ?? '', /has 2/);
  assert.equal(two?.line, 7);
});

test('refuses prose of more than fifteen lines, not counting the example', () => {
  const lines = (count: number) => `${'A line.\n\n'.repeat(count)}${example}`;
  assert.deepEqual(withRepository(readme(lines(15)), checkPackageReadmes), []);
  const [violation] = withRepository(readme(lines(16)), checkPackageReadmes);
  assert.match(violation?.problem ?? '', /16 lines of prose/);
});
