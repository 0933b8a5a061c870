import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLockfile } from './lockfile.ts';
import { withRepository } from './planted-repository.ts';

const lock = (resolved: string) => ({
  'package-lock.json': JSON.stringify({ packages: { 'node_modules/x': { resolved } } }, null, 2),
});

test('takes links to our own packages', () => {
  assert.deepEqual(withRepository(lock('packages/core'), checkLockfile), []);
});

for (const address of [
  'https://registry.example/zod/-/zod-4.0.0.tgz',
  'http://localhost:4873/zod.tgz',
  'git+ssh://git@github.com/x/y.git#abc',
]) {
  test(`refuses ${address}`, () => {
    const [violation] = withRepository(lock(address), checkLockfile);
    assert.deepEqual([violation?.file, violation?.line], ['package-lock.json', 4]);
    assert.match(violation?.fix ?? '', /npm install/);
  });
}

test('refuses a lockfile that lacks the binaries of other platforms', () => {
  const owner = { optionalDependencies: { '@x/linux': '1.0.0', '@x/darwin': '1.0.0' } };
  const whole = {
    'node_modules/x': owner,
    'node_modules/@x/linux': {},
    'node_modules/@x/darwin': {},
  };
  const nested = {
    'node_modules/y/node_modules/x': owner,
    'node_modules/y/node_modules/@x/linux': {},
    'node_modules/y/node_modules/x/node_modules/@x/darwin': {},
  };
  const partial = { 'node_modules/x': owner, 'node_modules/@x/linux': {} };
  const check = (packages: object) =>
    withRepository({ 'package-lock.json': JSON.stringify({ packages }, null, 2) }, checkLockfile);
  assert.deepEqual(check(whole), []);
  assert.deepEqual(check(nested), []);
  const [violation] = check(partial);
  assert.equal(violation?.line, 3);
  assert.match(
    violation?.problem ?? '',
    /lacks packages that node_modules\/x may need: @x\/darwin/,
  );
  assert.match(violation?.fix ?? '', /npm ci/);
});

test('refuses a repository without one', () => {
  const [violation] = withRepository({}, checkLockfile);
  assert.match(violation?.problem ?? '', /missing/);
});
