import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mainArgument } from './main-argument.ts';

const text = { type: 'string' };

describe('mainArgument', () => {
  it('is the required text of a usual name, else the first required text', () => {
    const properties = { cwd: text, n: { type: 'integer' }, title: text, command: text };
    assert.equal(
      mainArgument({ type: 'object', properties, required: ['title', 'command', 'cwd'] }),
      'command',
    );
    assert.equal(mainArgument({ type: 'object', properties, required: ['title', 'n'] }), 'title');
  });

  it('is none where nothing required is text', () => {
    assert.equal(mainArgument({ type: 'object', properties: { a: text } }), undefined);
    assert.equal(mainArgument({ type: 'object', required: ['a'] }), undefined);
    assert.equal(mainArgument(true), undefined);
  });
});
