import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { calls } from '../testing/scripted-model.ts';
import { defineTool } from '../tools/define-tool.ts';
import { createGuardrails } from './create-guardrails.ts';

const tool = (name: string) => defineTool({ name, description: '', input: { type: 'object' } });
const options = {
  tools: [tool('search'), tool('finish')],
  requiredSteps: ['search'],
  terminalTools: ['finish'],
};

describe('createGuardrails', () => {
  it('guides a loop of one’s own to the end', () => {
    const guardrails = createGuardrails(options);
    assert.equal(guardrails.check('I am done.').kind, 'blocked');
    const search = guardrails.check(calls(['search', { q: 1 }, 's']));
    assert.equal(search.kind, 'execute');
    assert.deepEqual(guardrails.record([{ id: 's', outcome: 'ok', output: 'found' }]), {
      done: false,
      pendingSteps: [],
      tooManyErrors: false,
    });
    assert.equal(guardrails.check(calls(['finish', {}, 'f'])).kind, 'execute');
    assert.equal(guardrails.record([{ id: 'f', outcome: 'ok' }]).done, true);
  });

  it('keeps a step open when its call failed or found nothing', () => {
    const guardrails = createGuardrails(options);
    for (const outcome of ['error', 'not_found'] as const) {
      guardrails.check(calls(['search', { outcome }, 's']));
      assert.deepEqual(guardrails.record([{ id: 's', outcome }]).pendingSteps, ['search']);
    }
  });

  it('says when tools failed too often in a row', () => {
    const guardrails = createGuardrails(options);
    const fail = (n: number) => {
      guardrails.check(calls(['search', { n }, 's']));
      return guardrails.record([{ id: 's', outcome: 'error' }]).tooManyErrors;
    };
    assert.deepEqual([fail(1), fail(2), fail(3)], [false, false, true]);
  });

  it('notices a loop', () => {
    const guardrails = createGuardrails(options);
    const again = () => {
      const verdict = guardrails.check(calls(['search', { q: 1 }, 's']));
      if (verdict.kind === 'execute')
        guardrails.record([{ id: 's', outcome: 'ok', output: 'same' }]);
      return verdict.kind;
    };
    assert.deepEqual(
      [again(), again(), again(), again(), again()],
      ['execute', 'execute', 'blocked', 'blocked', 'fatal'],
    );
  });

  it('goes on from progress that was kept as JSON', () => {
    const first = createGuardrails(options);
    first.check(calls(['search', {}, 's']));
    first.record([{ id: 's', outcome: 'ok' }]);
    const progress = JSON.parse(JSON.stringify(first.progress));
    assert.equal(
      createGuardrails({ ...options, progress }).check(calls(['finish', {}])).kind,
      'execute',
    );
  });

  it('refuses results for calls it did not let through', () => {
    const guardrails = createGuardrails(options);
    guardrails.check(calls(['search', {}, 's']));
    assert.throws(() => guardrails.record([{ id: 'x', outcome: 'ok' }]), /call "x".*Open calls: s/);
  });
});
