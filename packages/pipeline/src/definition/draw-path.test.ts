import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { drawPath } from './draw-path.ts';

const draw = (path: string[], at: number | 'edge' | undefined, hint = 'here') =>
  drawPath({ path, hint, ...(at !== undefined && { at }) }).join('\n');

describe('a path in a message', () => {
  it('points at its last step, at another one, or at its last arrow', () => {
    const path = ['plan', 'code', 'review'];
    assert.equal(draw(path, undefined), 'plan → code → review\n              ^^^^^^ here');
    assert.equal(draw(path, 0), 'plan → code → review\n^^^^ here');
    assert.equal(draw(path, 'edge'), 'plan → code → review\n            ^ here');
  });

  it('loses its middle if it is long, and never what it points at', () => {
    const path = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const [line = '', pointer = ''] = draw(path, 20).split('\n');
    assert.equal(line, 'n0 → n1 → n2 → … → n19 → n20 → n21 → … → n35 → n36 → n37 → n38 → n39');
    assert.equal(line.slice(pointer.indexOf('^'), pointer.lastIndexOf('^') + 1), 'n20');
  });

  it('without a step is only what there is to say', () => {
    assert.equal(draw([], undefined, 'Look at name.'), 'Look at name.');
  });
});
