import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ForgeError } from '@forge/core';
import fc from 'fast-check';
import { parsePipeline } from './parse-pipeline.ts';

const message = (value: unknown): string => {
  try {
    parsePipeline(value);
  } catch (error) {
    assert.ok(ForgeError.is(error, 'invalid_pipeline'), String(error));
    return error.message;
  }
  return assert.fail('it was taken');
};

const nodes = { a: { agent: 'x' }, b: { agent: 'x' } };

describe('a pipeline as data', () => {
  it('has a default for everything but its name and nodes', () => {
    assert.deepEqual(parsePipeline({ name: 'p', nodes: { a: { agent: 'x' } } }), {
      name: 'p',
      input: { type: 'object' },
      nodes: { a: { agent: 'x', input: {}, retries: 0 } },
      edges: [],
      parallel: 4,
      onFailure: 'stop',
    });
  });

  it('says of an edge in the wrong form which edge it is', () => {
    assert.equal(
      message({ name: 'p', nodes, edges: [{ from: 'a', to: 'b', loop: {} }] }),
      `The pipeline "p" cannot be run as it is written: 1 fault.

1. edges.0.loop.max: a loop needs a whole number: how often it may go back
   a → b
     ^ edges.0.loop.max`,
    );
  });

  it('says of a reference what forms there are', () => {
    const text = message({ name: 'p', nodes: { a: { agent: 'x', input: { y: 3 } } } });
    assert.match(text, /nodes\.a\.input\.y: must be a reference such as "plan\.tasks"/);
    assert.match(text, /\n {3}a\n {3}\^ nodes\.a\.input\.y/);
  });

  it('does not take words of references as names, nor more than it can handle', () => {
    assert.match(
      message({ name: 'p', nodes: { input: { agent: 'x' } } }),
      /must not be one of input/,
    );
    assert.match(message({ name: 'p', nodes: { 'a.b': { agent: 'x' } } }), /must be letters/);
    assert.match(message({ name: 'p', nodes: {} }), /must be 1 to 200 nodes/);
    const many = Object.fromEntries(
      Array.from({ length: 201 }, (_, i) => [`n${i}`, { agent: 'x' }]),
    );
    assert.match(message({ name: 'p', nodes: many }), /must be 1 to 200 nodes/);
    assert.match(message({ name: 'p', nodes, edges: [{ from: 'a', to: 'b', if: true }] }), /if/);
    assert.match(
      message({ name: 'p', nodes, edges: [{ from: 'a', to: 'b', when: { ref: 'a.x' } }] }),
      /edges\.0\.when/,
    );
  });

  it('is refused with a message, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        assert.match(message(value), /cannot be run as it is written/);
      }),
    );
    fc.assert(
      fc.property(fc.object(), (value) => {
        assert.match(message({ name: 'p', nodes, edges: [value] }), /edges\.0/);
      }),
    );
  });
});
