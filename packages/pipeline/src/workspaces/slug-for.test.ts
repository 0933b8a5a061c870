import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { slugFor } from './slug-for.ts';

describe('the slug of a request', () => {
  it('is its first words', () => {
    assert.equal(slugFor('Add rate limiting to the API!'), 'add-rate-limiting-to-the-api');
    assert.equal(slugFor('Überprüfe   die Größe, bitte'), 'uberprufe-die-gro-e-bitte');
    assert.equal(slugFor(`${'long '.repeat(30)}`), 'long-long-long-long-long-long-long-long');
    assert.equal(slugFor('日本語 ../..'), 'work');
    assert.equal(slugFor('x'.repeat(100)), 'x'.repeat(40));
  });

  it('is always a part of a branch name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (request) => {
        assert.match(slugFor(request), /^[a-z0-9]+(?:-[a-z0-9]+)*$/);
        assert.ok(slugFor(request).length <= 40);
      }),
    );
  });
});
