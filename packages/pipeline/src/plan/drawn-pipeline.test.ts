import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { checkPipeline } from '../definition/check-pipeline.ts';
import type { CheckedPipeline } from '../definition/compile-pipeline.ts';
import { linksOf, reachable } from '../definition/links.ts';
import type { PipelineEdge, PipelineInput } from '../definition/pipeline-schema.ts';
import type { Answer } from './simulate.test.ts';

const agents = {
  worker: {
    input: { type: 'object' },
    output: {
      type: 'object',
      properties: { ok: { type: 'boolean' }, from: { type: 'string' } },
      required: ['ok', 'from'],
    },
  },
};
const items = [
  { id: 'a', after: ['c'] },
  { id: 'b', after: [] },
  { id: 'c', after: [] },
];

export interface Drawn {
  readonly nodes: readonly {
    readonly each: boolean;
    readonly retries: number;
    readonly onFailure: 'stop' | 'finish' | 'continue' | undefined;
  }[];
  /** By pairs of nodes, earlier to later. */
  readonly edges: readonly ('none' | 'plain' | 'if' | 'unless')[];
  readonly loops: readonly { a: number; b: number; max: number; when: 'if' | 'unless' | 'plain' }[];
  readonly parallel: number;
  readonly onFailure: 'stop' | 'finish';
}

export const drawn: fc.Arbitrary<Drawn> = fc.record({
  nodes: fc.array(
    fc.record({
      each: fc.boolean(),
      retries: fc.nat(2),
      onFailure: fc.constantFrom('stop', 'finish', 'continue', undefined),
    }),
    { minLength: 1, maxLength: 7 },
  ),
  edges: fc.array(fc.constantFrom('none', 'none', 'plain', 'if', 'unless'), {
    minLength: 21,
    maxLength: 21,
  }),
  loops: fc.array(
    fc.record({
      a: fc.nat(6),
      b: fc.nat(6),
      max: fc.nat(3),
      when: fc.constantFrom('if', 'unless', 'if', 'unless', 'plain'),
    }),
    { maxLength: 4 },
  ),
  parallel: fc.integer({ min: 1, max: 4 }),
  onFailure: fc.constantFrom('stop', 'finish'),
});

/** A pipeline without faults out of what was drawn. Every node sees all it may. */
export function build(pipeline: Drawn): CheckedPipeline {
  return checkPipeline(write(pipeline), agents);
}

export function write({ nodes, edges, loops, parallel, onFailure }: Drawn): PipelineInput {
  const id = (index: number) => `n${index}`;
  const when = (kind: string, from: number) => {
    if (kind !== 'if' && kind !== 'unless') return {};
    const ref = nodes[from]?.each ? `${id(from)}.1.ok` : `${id(from)}.ok`;
    return { when: { ref, is: kind === 'if' } };
  };
  const all: PipelineEdge[] = [];
  let pair = 0;
  for (let to = 1; to < nodes.length; to++) {
    for (let from = 0; from < to; from++) {
      const kind = edges[pair++] ?? 'none';
      if (kind !== 'none') all.push({ from: id(from), to: id(to), ...when(kind, from) });
    }
  }
  const forward = linksOf(all);
  const seen = new Set<string>();
  for (const { a, b, max, when: kind } of loops) {
    const [to, from] = [Math.min(a, b), Math.max(a, b)];
    if (from >= nodes.length || seen.has(`${from} ${to}`)) continue;
    if (from !== to && !reachable(forward, id(to)).has(id(from))) continue;
    seen.add(`${from} ${to}`);
    all.push({ from: id(from), to: id(to), ...when(kind, from), loop: { max } });
  }
  const links = linksOf(all);
  return {
    name: 'drawn',
    input: { type: 'object', properties: { list: { type: 'array' } }, required: ['list'] },
    parallel,
    onFailure,
    edges: all,
    nodes: Object.fromEntries(
      nodes.map((node, index) => [
        id(index),
        {
          agent: 'worker',
          retries: node.retries,
          ...(node.onFailure !== undefined && { onFailure: node.onFailure }),
          ...(node.each && {
            each: { items: 'input.list', as: 'item', key: 'id', after: 'after' },
          }),
          input: Object.fromEntries([
            ...nodes.flatMap((_, other) =>
              reachable(links, id(other)).has(id(index))
                ? [[id(other), { optional: id(other) }]]
                : [],
            ),
            ...(node.each
              ? [
                  ['item', 'item'],
                  ['done', 'done'],
                ]
              : []),
          ]),
        },
      ]),
    ),
  };
}

/** A number from 0 to 255 that depends on these words alone. */
const chance = (...words: readonly unknown[]) =>
  createHash('sha256').update(words.join(' ')).digest()[0] ?? 0;

export const answers =
  (seed: number, failures: number): Answer =>
  ({ id }) => {
    const draw = chance(seed, id);
    if (draw < failures) return draw % 2 === 0 ? { failure: 'bad luck' } : { value: 'nonsense' };
    return { value: { ok: chance(seed, id, 'ok') < 140, from: id } };
  };

export const picks = (seed: number) => {
  let count = 0;
  return (open: number) => {
    const draw = chance(seed, 'pick', count++);
    return draw % 4 === 0 ? [draw, draw + 1] : [draw % open];
  };
};

export const input = { list: items };
