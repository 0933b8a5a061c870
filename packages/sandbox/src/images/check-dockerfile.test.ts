import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForgeError } from '@forge/core';
import { checkDockerfile } from './check-dockerfile.ts';

test('finds the images a Dockerfile stands on, not its stages', () => {
  const text = `
    # a comment
    FROM debian:12 AS build
    RUN make \\
      # a comment inside
      all
    from build
    COPY --from=build /a /b
    COPY --chown=1:1 --from=alpine:3 /x /y
    FROM scratch
    COPY --from=0 /a /b`;
  assert.deepEqual(checkDockerfile(text), ['debian:12', 'alpine:3']);
});

test('takes a number past the stages for the id of an image', () => {
  const copies = ['0', '1', '366653224783'].map((from) => `COPY --from=${from} /a /b`);
  const text = ['FROM a', 'FROM b', ...copies].join('\n');
  assert.deepEqual(checkDockerfile(text), ['a', 'b', '1', '366653224783']);
});

test('takes a stage for one only behind its end', () => {
  const text = 'FROM a AS b\nCOPY --from=b /x /y\nFROM c AS d\nCOPY --from=b /x /y';
  assert.deepEqual(checkDockerfile(text), ['a', 'b', 'c']);
  assert.deepEqual(checkDockerfile('FROM a\nCOPY --from=scratch /x /y'), ['a', 'scratch']);
});

const bad = {
  'a syntax line': '# syntax=docker/dockerfile:1\nFROM a',
  'a syntax line in odd spelling': '#   SYNTAX  = evil/frontend\nFROM a',
  'another escape': '# escape=`\nFROM a',
  'an image from a variable': 'ARG X=evil\nFROM $X',
  'a copy from a variable': 'FROM a\nCOPY --from=$X /a /b',
  'an ADD of an address': 'FROM a\nADD http://169.254.169.254/latest /x',
  'an ADD in a list': 'FROM a\nADD ["https://example.org/x", "/x"]',
  'an ADD over two lines': 'FROM a\nADD \\\n  https://example.org/x /x',
  'an ADD of a repository': 'FROM a\nADD git@example.org:x/y.git /x',
  'an ADD of a variable': 'ARG U=http://x\nFROM a\nADD $U /x',
  'an ADD kept for later': 'FROM a\nONBUILD ADD http://x /x',
  'an ADD with escapes in a list': 'FROM a\nADD ["http:\\/\\/169.254.169.254/latest", "/x"]',
  'an ADD with escapes': 'FROM a\nADD http:/\\/169.254.169.254/latest /x',
  'an ADD with quotes': 'FROM a\nADD http:"//"169.254.169.254/latest /x',
  'an ADD that is cut in two': 'FROM a\nAD\\\nD http://169.254.169.254/latest /x',
  'an ADD behind an odd blank': 'FROM a\n\u0085ADD http://x/x /x',
  'an ADD behind a line that only seems to go on': 'FROM a\nENV a=b\\\u00a0\nADD http://x/x /x',
  'an ADD behind two backslashes': 'FROM a\nENV a=\\\\\nADD http://x/x /x',
  'a copy with escapes in its flag': 'FROM a\nCOPY --fr\\om=b /a /b',
  'an image for another platform': 'FROM --platform=linux/s390x a',
  'a step with a flag': 'FROM a\nRUN --mount=type=bind,from=b,target=/b cat /b/x',
  'a copy kept for later': 'FROM a AS b\nFROM a\nONBUILD COPY --from=b /x /y',
  'a here-document that ends where a line seems to go on':
    "FROM a\nRUN <<'RUN x\\'\nRUN y\nRUN x\\\nADD http://x/x /x",
  'a here-document with blanks taken away': 'FROM a\nRUN cat 3<<-EOF\nENV a=b\nEOF',
  'a here-document to copy': 'FROM a\nCOPY <<EOF /x\nENV a=b\nEOF',
  'a word that is no instruction': 'FROM a\nFETCH http://x/x /x',
  nothing: '',
} as const;

for (const [what, text] of Object.entries(bad)) {
  test(`refuses ${what}`, () => {
    assert.throws(
      () => checkDockerfile(text),
      (error) => ForgeError.is(error, 'not_allowed'),
    );
  });
}

test('takes a number for a stage only where one can be copied from', () => {
  assert.deepEqual(checkDockerfile('FROM 123'), ['123']);
});

const notNames = ['FROM "a"', 'FROM a\\b', 'FROM a/../b', 'FROM a\nCOPY --from=a/json? /x /y'];

test('refuses images by names that a request or an expansion would change', () => {
  for (const text of notNames) {
    assert.throws(
      () => checkDockerfile(text),
      (error) => ForgeError.is(error, 'invalid_options'),
      text,
    );
  }
});

test('leaves shifts and here-strings alone', () => {
  assert.deepEqual(checkDockerfile('FROM a\nRUN cat <<<x; echo $((1<<3))'), ['a']);
});

test('lets files of the context be added', () => {
  const text = 'FROM a\nADD --chown=1:1 src/*.tar.gz ./b /x/\nADD c \\\n  d /y/';
  assert.deepEqual(checkDockerfile(text), ['a']);
});
