import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { ForgeError } from '../errors.ts';
import { checkArguments } from './check-arguments.ts';
import { compileSchema } from './compile-schema.ts';
import { isStandardSchema, toJsonSchema } from './standard-schema.ts';

describe('toJsonSchema', () => {
  it('gives a JSON Schema back as it is', () => {
    const schema = { type: 'object' };
    assert.equal(toJsonSchema(schema), schema);
    assert.equal(toJsonSchema(true), true);
  });

  it('asks a Zod schema for what it takes as input', () => {
    const schema = z.object({
      path: z.string(),
      limit: z.int().default(10),
      at: z.email().optional(),
    });
    const compiled = compileSchema(toJsonSchema(schema));
    assert.ok(compiled.accepts({ path: 'a' }));
    assert.ok(compiled.accepts({ path: 'a', limit: 3, at: 'user@example.com' }));
    assert.ok(!compiled.accepts({ limit: 3 }));
    assert.ok(!compiled.accepts({ path: 'a', at: 'nobody' }));
    const check = checkArguments(compiled, '{"path": "a", "limit": "3"}');
    assert.deepEqual(check.args, { path: 'a', limit: 3 });
  });

  it('reads recursive and tagged Zod schemas', () => {
    const tree = z.object({
      name: z.string(),
      get kids() {
        return z.array(tree);
      },
    });
    const compiled = compileSchema(toJsonSchema(tree));
    assert.ok(compiled.accepts({ name: 'a', kids: [{ name: 'b', kids: [] }] }));
    assert.ok(!compiled.accepts({ name: 'a', kids: [{ name: 'b' }] }));
    const tagged = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a'), n: z.number() }),
      z.object({ kind: z.literal('b'), s: z.string() }),
    ]);
    assert.ok(compileSchema(toJsonSchema(tagged)).accepts({ kind: 'b', s: 'x' }));
  });

  it('falls back to draft-07, and takes schemas that are functions', () => {
    const schema = Object.assign(() => true, {
      '~standard': {
        version: 1 as const,
        vendor: 'old',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: ({ target }: { target: string }) => {
            if (target !== 'draft-07') throw new Error('unsupported target');
            return { type: 'object' };
          },
          output: () => ({}),
        },
      },
    });
    assert.ok(isStandardSchema(schema));
    assert.deepEqual(toJsonSchema(schema), { type: 'object' });
  });

  it('leaves out the name of the dialect, which says nothing to a model', () => {
    const schema = toJsonSchema(z.object({ a: z.string() }));
    assert.ok(typeof schema === 'object' && !('$schema' in schema));
  });

  it('says what to do where a schema cannot describe itself', () => {
    const cases = [mini.object({ a: mini.string() }), z.object({ at: z.date() })];
    for (const schema of cases) {
      assert.throws(
        () => toJsonSchema(schema),
        (error) =>
          ForgeError.is(error, 'invalid_tool') && /zod.*Give the JSON Schema/.test(error.message),
      );
    }
  });
});

it('isStandardSchema knows one from anything else', () => {
  assert.ok(isStandardSchema(z.string()));
  assert.ok(isStandardSchema(mini.string()));
  for (const other of [null, undefined, 3, {}, { '~standard': 1 }, { type: 'object' }]) {
    assert.ok(!isStandardSchema(other));
  }
});
