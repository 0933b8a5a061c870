import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import { checkImageName } from './image-name.ts';

const good = [
  'debian',
  'debian:12-slim',
  'team/app:1',
  '127.0.0.1:5000/team/app:1',
  'localhost/Team_x',
  `team/app@sha256:${'0a'.repeat(32)}`,
  `sha256:${'0a'.repeat(32)}`,
  '366653224783',
];

test('takes names with a registry, a version or a digest, and ids', () => {
  for (const name of good) assert.equal(checkImageName(name), name);
});

const bad = {
  nothing: '',
  'a way up': 'team/../app',
  'a way up in other letters': 'team/%2e%2e/app',
  'nothing between slashes': 'team//app',
  'a slash at the end': 'team/app/',
  'a slash in front': '/team/app',
  'a question': 'app/json?x=',
  'a part of a page': 'app#x',
  quotes: '"app"',
  'an escape': 'te\\am',
  'a blank': 'app x',
  'a line': 'app\n',
  'an option': '-app',
  'more than any name': 'a'.repeat(501),
} as const;

for (const [what, name] of Object.entries(bad)) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => checkImageName(name),
      (error) => ForgeError.is(error, 'invalid_options'),
    );
  });
}
