import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { joinUrl, publicUrl, withoutVersion, withVersion } from './join-url.ts';

describe('an address', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['http://h:1/v1', '/chat/completions', 'http://h:1/v1/chat/completions'],
    ['http://h:1/v1/', '/v1/chat', 'http://h:1/v1/chat'],
    ['http://h:1', '/v1/messages', 'http://h:1/v1/messages'],
    ['https://h/openai/v1', '/chat', 'https://h/openai/v1/chat'],
    [
      'https://h/v1beta',
      '/models/m:streamGenerateContent?alt=sse',
      'https://h/v1beta/models/m:streamGenerateContent?alt=sse',
    ],
    ['https://h/base?key=1', '/x?alt=sse', 'https://h/base/x?key=1&alt=sse'],
  ];
  for (const [base, path, url] of cases) {
    it(`${base} and ${path}`, () => assert.equal(joinUrl(base, path).href, url));
  }

  it('gets a version if it has no path, and loses it again', () => {
    assert.equal(withVersion('http://h:1', 'v1'), 'http://h:1/v1');
    assert.equal(withVersion('http://h:1/api', 'v1'), 'http://h:1/api');
    assert.equal(withoutVersion('http://h:1/v1/'), 'http://h:1');
    assert.equal(withoutVersion('http://h:1/openai/v1beta'), 'http://h:1/openai');
    assert.equal(withoutVersion('http://h:1'), 'http://h:1');
  });

  it('is told without its secrets', () => {
    assert.equal(publicUrl(new URL('http://u:p@h/x?key=1')), 'http://h/x');
  });

  it('that is none is refused', () => {
    for (const bad of ['', 'localhost:80', 'ftp://h', 'h']) {
      assert.throws(() => joinUrl(bad, '/x'), { code: 'invalid_options' });
    }
  });
});
