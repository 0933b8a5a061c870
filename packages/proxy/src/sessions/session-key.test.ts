import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sessionKey } from './session-key.ts';

const key = (headers: Record<string, string | string[]>, metadata?: unknown, fingerprint = 'f') =>
  sessionKey({ headers, metadata, fingerprint: () => fingerprint });

describe('sessionKey', () => {
  it('goes by the surest name there is', () => {
    const all = {
      'x-forge-session': 'a',
      'x-claude-code-session-id': 'b',
      'x-session-id': 'c',
      session_id: 'd',
    };
    const { 'x-forge-session': _, ...others } = all;
    assert.equal(key(all), key({ 'x-forge-session': 'a' }, { litellm_session_id: 'z' }, 'other'));
    assert.equal(key(others), key({ 'x-claude-code-session-id': 'b' }));
    assert.equal(key({ session_id: 'd' }), key({}, { litellm_session_id: 'd' }));
    assert.notEqual(key({ session_id: 'd' }), key({ session_id: 'e' }));
  });

  it('falls back on the fingerprint, which no header can meet', () => {
    assert.equal(key({}, undefined, 'f'), key({ 'x-forge-session': '  ' }, { a: 1 }, 'f'));
    assert.notEqual(key({}, undefined, 'f'), key({}, undefined, 'g'));
    assert.notEqual(key({}, undefined, 'f'), key({ 'x-forge-session': 'f' }));
  });

  it('takes no name that is absurdly long or no text', () => {
    assert.equal(key({ 'x-forge-session': 'x'.repeat(5_000) }), key({}));
    assert.equal(key({}, { litellm_session_id: 7 }), key({}));
    assert.equal(key({}, 'text'), key({}, null));
    assert.equal(key({ 'x-session-id': ['a', 'b'] }), key({ 'x-session-id': 'a' }));
  });

  it('is 128 bits in hex and tells nothing', () => {
    assert.match(key({ 'x-forge-session': 'anna@example.org' }), /^[0-9a-f]{32}$/);
  });
});
