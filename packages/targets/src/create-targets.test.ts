import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import { createTargets } from './create-targets.ts';
import { processTarget } from './process/process-target.ts';

describe('createTargets', () => {
  it('knows those of Forge and those it is given', () => {
    const targets = createTargets({ mine: { ...processTarget, name: 'mine' } });
    assert.deepEqual(targets.names(), ['docker', 'mine', 'process']);
    assert.equal(targets.get('mine').name, 'mine');
  });

  it('lists the names there are for one nobody has', () => {
    assert.throws(
      () => createTargets().get('kubernets'),
      (error) =>
        ForgeError.is(error, 'not_found') &&
        error.message.includes('There is no target "kubernets". Targets: docker, process.'),
    );
  });

  it('refuses a name that is taken', () => {
    assert.throws(
      () => createTargets({ process: { ...processTarget } }),
      (error) => ForgeError.is(error, 'already_exists'),
    );
  });

  it('says all that something lacks to be a target', () => {
    assert.throws(
      () => createTargets({ half: { name: 'ha lf', build() {}, deploy: 1 } }),
      (error) => {
        assert.ok(ForgeError.is(error, 'invalid_options'));
        assert.equal(
          error.message,
          'The target "half" cannot be used: its name is no word of letters, digits, ".", "_" and "-", its config is no Zod schema, it has no validate(), it has no deploy(), it has no healthCheck(), it has no rollback(), it has no stop(). See "Writing a target" in docs/targets.md.',
        );
        return true;
      },
    );
    assert.throws(() => createTargets({ none: null }), /it is no object/);
  });
});
