import type { JsonSchema } from '@forge/core';
import * as z from 'zod';
import { refPattern } from './parse-ref.ts';

/** Words that mean something else in a reference. */
export const reservedNames: readonly string[] = ['input', 'done', 'failure'];

export const limits = { nodes: 200, edges: 1_000, properties: 100, loopRounds: 100 } as const;

const nodeId = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, "-" and "_", a letter first')
  .refine((id) => !reservedNames.includes(id), {
    error: `must not be one of ${reservedNames.join(', ')}: references use these words`,
  });
const property = z.string().min(1).max(200);
const literal = z.union([z.string().max(2_000), z.number(), z.boolean(), z.null()]);

const path = z.string().max(500).regex(refPattern);
const source = z.union([path, z.strictObject({ value: z.json() })]);
const sources = z.union([source, z.array(source).min(1).max(20)]);
const ref = z.union([sources, z.strictObject({ optional: sources })], {
  error:
    'must be a reference such as "plan.tasks", a list of them (the first that is there counts), { value: … } or { optional: … }',
});
/**
 * Where a value comes from: a path (`input` or a node, then names of its output), a list of which
 * the first that is there counts, a value as it is, or something that may be missing.
 */
export type Ref = z.infer<typeof ref>;
/** A reference that names one place, or a value. */
export type Source = z.infer<typeof source>;

const test = z
  .strictObject({
    ref,
    is: literal.optional(),
    not: literal.optional(),
    in: z.array(literal).min(1).max(50).optional(),
    exists: z.boolean().optional(),
  })
  .refine((given) => Object.keys(given).length > 1, {
    error: 'needs one of is, not, in, exists beside ref',
  });
/** A question about one value. Of several words each has to hold. */
export type Test = z.infer<typeof test>;
export type Condition = Test | { all: Condition[] } | { any: Condition[] };

// Nested this deep and no deeper: what is read from a file is bounded before it is walked.
const conditions = (inner: z.ZodType<Condition>): z.ZodType<Condition> =>
  z.union(
    [
      test,
      z.strictObject({ all: z.array(inner).min(1).max(20) }),
      z.strictObject({ any: z.array(inner).min(1).max(20) }),
    ],
    {
      error:
        'must be { ref, is | not | in | exists }, { all: […] } or { any: […] }, at most three deep',
    },
  );
const condition = conditions(conditions(conditions(test)));

const each = z.strictObject({
  items: ref.describe('The list. The node is run once for each of its items.'),
  as: nodeId.describe('The name of an item in references of this node.'),
  key: property.optional().describe('The property that names an item. Default: its place.'),
  after: property
    .optional()
    .describe('The property that lists the keys of items that have to be done before.'),
});

const node = z.strictObject({
  agent: z.string().min(1).max(128),
  input: z
    .record(property, ref)
    .refine((given) => Object.keys(given).length <= limits.properties, {
      error: `has more than ${limits.properties} properties`,
    })
    .default({}),
  each: each.optional(),
  retries: z.int().min(0).max(10).default(0).describe('Further tries of a run that failed.'),
  timeLimitMs: z.int().min(1).max(604_800_000).optional(),
  onFailure: z
    .enum(['stop', 'finish', 'continue'])
    .optional()
    .describe('Default: that of the pipeline. continue: go on as if it had been skipped.'),
});
export type PipelineNode = z.infer<typeof node>;

const loop = z.strictObject({
  max: z
    .int({ error: 'a loop needs a whole number: how often it may go back' })
    .min(0)
    .max(limits.loopRounds)
    .describe('How often it may go back in one run.'),
  name: z.string().min(1).max(100).optional().describe('What sets max, for the explanation.'),
  exhausted: z.string().min(1).max(500).optional().describe('Said when it is used up.'),
  because: ref.optional().describe('Said after it: why the work was sent back once more.'),
});
export type Loop = z.infer<typeof loop>;

const edge = z.strictObject({
  from: z.string().min(1).max(64),
  to: z.string().min(1).max(64),
  when: condition.optional(),
  loop: loop.optional(),
});
export type PipelineEdge = z.infer<typeof edge>;

/** A pipeline as data: what `forge.yaml`, a file of its own or TypeScript says. */
export const pipelineSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/),
  description: z.string().max(2_000).optional(),
  input: z
    .custom<Exclude<JsonSchema, boolean>>(
      (given) => typeof given === 'object' && given !== null && !Array.isArray(given),
      { error: 'must be a JSON Schema' },
    )
    .default({ type: 'object' })
    .meta({ type: 'object', description: 'JSON Schema of what a run is given.' }),
  output: z.record(property, ref).optional().describe('What a run ends with.'),
  nodes: z.record(nodeId, node).refine(
    (given) => {
      const count = Object.keys(given).length;
      return count > 0 && count <= limits.nodes;
    },
    { error: `must be 1 to ${limits.nodes} nodes` },
  ),
  edges: z.array(edge).max(limits.edges).default([]),
  parallel: z.int().min(1).max(100).default(4).describe('The most runs at once.'),
  onFailure: z
    .enum(['stop', 'finish'])
    .default('stop')
    .describe('stop: what runs is cancelled. finish: what runs is finished, nothing new begins.'),
});

/** As it may be written: what has a default may be left out. */
export type PipelineInput = z.input<typeof pipelineSchema>;
/** With every default filled in. */
export type PipelineDefinition = z.infer<typeof pipelineSchema>;
