import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelError } from '../wire/model-error.ts';
import { networkError } from './network-error.ts';

const where = 'http://127.0.0.1:8080/v1';

function failed(code: string, begun = false): ModelError {
  return networkError(Object.assign(new Error('secret detail'), { code }), { where, begun });
}

describe('a failed connection', () => {
  const cases = {
    ECONNREFUSED: ['unavailable', /Is the server running/],
    ENOTFOUND: ['unavailable', /could not be found/],
    EAI_AGAIN: ['unavailable', /could not be found/],
    UND_ERR_CONNECT_TIMEOUT: ['timeout', /connect timeout/],
    ETIMEDOUT: ['timeout', /connect timeout/],
    CERT_HAS_EXPIRED: ['unavailable', /certificate/],
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['unavailable', /certificate/],
    HPE_INVALID_CONSTANT: ['bad_response', /HTTP/],
    UND_ERR_INVALID_ARG: ['bad_request', /cannot be sent/],
    ECONNRESET: ['unavailable', /connection .* failed/],
    UND_ERR_SOCKET: ['unavailable', /connection .* failed/],
    '': ['unavailable', /connection .* failed/],
  } as const;
  for (const [code, [kind, says]] of Object.entries(cases)) {
    it(`${code || 'without a code'} is ${kind}`, () => {
      const error = failed(code);
      assert.equal(error.kind, kind);
      assert.match(error.message, says);
      assert.ok(error.message.includes(where));
      assert.doesNotMatch(error.message, /secret/);
    });
  }

  it('in the middle of a reply is a bad response', () => {
    assert.equal(failed('ECONNRESET', true).kind, 'bad_response');
    assert.equal(failed('UND_ERR_SOCKET', true).kind, 'bad_response');
  });

  it('that is explained already stays as it is', () => {
    const error = new ModelError({ kind: 'timeout', message: 'late' });
    assert.equal(networkError(error, { where, begun: true }), error);
  });
});
