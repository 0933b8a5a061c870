import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { detectChecks } from './detect-checks.ts';

function inFolder(files: Record<string, string>) {
  return detectChecks(async (path) => (Object.hasOwn(files, path) ? files[path] : undefined));
}

describe('the checks of a project', () => {
  const cases: readonly [string, Record<string, string>, readonly string[]][] = [
    ['an npm script', { 'package.json': '{"scripts":{"test":"node --test"}}' }, ['npm test']],
    [
      'no npm script',
      { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
      [],
    ],
    ['a broken manifest', { 'package.json': '{' }, []],
    ['a pytest.ini', { 'pytest.ini': '' }, ['python3 -m pytest -q']],
    [
      'pytest among the requirements',
      { 'requirements.txt': 'pytest==8\n' },
      ['python3 -m pytest -q'],
    ],
    ['Python without pytest', { 'requirements.txt': 'flask\n' }, []],
    ['a crate', { 'Cargo.toml': '[package]' }, ['cargo test']],
    ['a Go module', { 'go.mod': 'module x' }, ['go test ./...']],
    ['a make target', { Makefile: 'all:\n\ntest: all\n\t./run' }, ['make test']],
    ['a make target called check', { Makefile: 'check:\n\t./run' }, ['make check']],
    ['a make variable called test', { Makefile: 'test := 1' }, []],
    [
      'two languages',
      { 'package.json': '{"scripts":{"test":"x"}}', 'go.mod': '', Makefile: 'test:\n' },
      ['npm test', 'go test ./...'],
    ],
    ['nothing', {}, []],
  ];
  for (const [name, files, checks] of cases) {
    it(`of ${name}: ${checks.join(', ') || 'none'}`, async () => {
      assert.deepEqual(await inFolder(files), checks);
    });
  }

  it('are found in any content without a throw', async () => {
    const names = ['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'Makefile'];
    const folder = fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.string(), fc.json()));
    await fc.assert(
      fc.asyncProperty(folder, async (files) => {
        for (const check of await inFolder(files)) assert.match(check, /\S/);
      }),
    );
  });
});
