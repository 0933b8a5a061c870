import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonSchema } from '@forge/core';
import { typed } from './json-type.ts';
import { schemaAt } from './schema-at.ts';

const plan: JsonSchema = {
  type: 'object',
  properties: {
    tasks: { type: 'array', minItems: 1, items: { $ref: '#/$defs/task' } },
    notes: { type: 'object', additionalProperties: { type: 'string' } },
    extra: { type: 'object' },
    result: {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      ],
    },
    toString: { type: 'integer' },
  },
  required: ['tasks', 'result', 'extra'],
  $defs: {
    task: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  },
};

const at = (path: string) => schemaAt(typed(plan), path === '' ? [] : path.split('.'));

describe('what is at a path of a schema', () => {
  it('is found through properties, items and references', () => {
    const found = at('tasks.0.id');
    assert.ok(found.type === 'found');
    assert.deepEqual([found.at.schema, found.maybe], [{ type: 'string' }, false]);
  });

  it('may be missing: an optional property, a later item, a name among any, one form of several', () => {
    for (const path of ['notes', 'tasks.1', 'notes.whatever', 'result.a']) {
      const found = at(path);
      assert.ok(found.type === 'found' && found.maybe, path);
    }
  });

  it('may be anything where the schema says nothing', () => {
    assert.deepEqual(at('extra.deep.down'), {
      type: 'found',
      at: { schema: true, root: plan },
      maybe: false,
    });
  });

  it('is not there, with what is', () => {
    assert.deepEqual(at('tsks.id'), {
      type: 'missing',
      index: 0,
      known: ['tasks', 'notes', 'extra', 'result', 'toString'],
    });
    assert.deepEqual(at('tasks.0.name'), { type: 'missing', index: 2, known: ['id'] });
    assert.equal(at('tasks.first').type, 'missing');
    assert.equal(at('constructor').type, 'missing');
  });
});
