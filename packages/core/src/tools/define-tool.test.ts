import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { ForgeError } from '../errors.ts';
import { defineTool } from './define-tool.ts';
import { externalTool } from './external-tool.ts';

const context = {
  runId: 'r',
  callId: 'c',
  idempotencyKey: 'k',
  signal: new AbortController().signal,
};

describe('defineTool', () => {
  it('shows the model the JSON Schema of a Zod schema, as input', () => {
    const tool = defineTool({
      name: 't',
      description: 'd',
      input: z.object({ city: z.string(), days: z.int().default(1) }),
    });
    const { inputSchema } = tool.spec;
    assert.ok(typeof inputSchema === 'object');
    assert.deepEqual(inputSchema.required, ['city']);
    assert.ok(tool.schema.accepts({ city: 'Oslo' }));
    assert.ok(!tool.schema.accepts({ city: 3 }));
  });

  it('takes any Standard Schema that can show its JSON Schema', () => {
    const schema: StandardSchemaV1<{ n: number }, { n: string }> & StandardJSONSchemaV1 = {
      '~standard': {
        version: 1 as const,
        vendor: 'mine',
        validate: (value: unknown) =>
          typeof value === 'object' && value !== null && 'n' in value && value.n === 1
            ? { value: { n: 'one' } }
            : { issues: [{ message: 'n must be 1', path: ['n'] }] },
        jsonSchema: { input: () => ({ type: 'object' }), output: () => ({}) },
      },
    };
    const tool = defineTool({ name: 't', description: '', input: schema, run: ({ n }) => n });
    assert.deepEqual(tool.refine({ n: 2 }), [
      { path: ['n'], keyword: 'refine', message: 'n must be 1' },
    ]);
    assert.deepEqual(tool.refine({ n: 1 }), []);
  });

  it('runs with the output of the schema', async () => {
    const tool = defineTool({
      name: 't',
      description: '',
      input: z.object({ n: z.number().transform((n) => n * 2) }),
      run: ({ n }) => n,
    });
    assert.equal(await tool.run?.({ n: 21 }, context), 42);
  });

  it('refuses what could never work, with the fix', () => {
    const invalid = (pattern: RegExp) => (error: unknown) =>
      ForgeError.is(error, 'invalid_tool') && pattern.test(error.message);
    const input = { type: 'object' };
    assert.throws(
      () => defineTool({ name: 'two words', description: '', input }),
      invalid(/without spaces/),
    );
    assert.throws(
      () => defineTool({ name: 't', description: '', input, timeout: 0 }),
      invalid(/timeout/),
    );
    assert.throws(
      () => defineTool({ name: 't', description: '', input: { type: 'objekt' } }),
      invalid(/Tool "t".*objekt/),
    );
    assert.throws(
      () => defineTool({ name: 't', description: '', input: { $ref: '#/$defs/nowhere' } }),
      invalid(/Tool "t"/),
    );
  });
});

describe('externalTool', () => {
  it('lets a schema we cannot read pass, and then only wants an object', () => {
    const tool = externalTool({ name: 't', description: '', inputSchema: { type: 'objekt' } });
    assert.ok(tool.schema.accepts({ anything: 1 }));
    assert.ok(!tool.schema.accepts('text'));
  });
});
