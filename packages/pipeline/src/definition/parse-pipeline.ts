import { isJsonObject } from '@forge/core';
import type * as z from 'zod';
import { type Fault, invalidPipeline } from './fault.ts';
import { type PipelineDefinition, type PipelineInput, pipelineSchema } from './pipeline-schema.ts';

/**
 * A pipeline out of data of any origin, with its defaults filled in. Only its form is looked at
 * here: whether it can be run says `checkPipeline`.
 */
export function parsePipeline(value: unknown): PipelineDefinition {
  const parsed = pipelineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const given = isJsonObject(value) ? value : {};
  const name = typeof given.name === 'string' ? given.name : '(no name)';
  throw invalidPipeline(
    name,
    parsed.error.issues.map((issue) => toFault(issue, given)),
  );
}

/**
 * A pipeline in TypeScript: the same data as in YAML, with types.
 *
 * @example
 * const pipeline = definePipeline({
 *   name: 'write-and-check',
 *   input: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
 *   nodes: {
 *     write: { agent: 'writer', input: { topic: 'input.topic' } },
 *     check: { agent: 'checker', input: { text: 'write.text' } },
 *   },
 *   edges: [{ from: 'write', to: 'check' }],
 * });
 */
export function definePipeline(pipeline: PipelineInput): PipelineDefinition {
  return parsePipeline(pipeline);
}

/** Faults of an edge or a node are drawn at it. */
function toFault(issue: z.core.$ZodIssue, given: { readonly [key: string]: unknown }): Fault {
  const at = issue.path.map(String);
  const hint = at.length === 0 ? 'the pipeline' : at.join('.');
  const problem = `${hint}: ${messageFor(issue)}`;
  const [section = '', key = ''] = at;
  if (section === 'nodes' && key !== '') return { problem, path: [cut(key)], hint };
  const edge = section === 'edges' && Array.isArray(given.edges) && given.edges[Number(key)];
  if (isJsonObject(edge) && typeof edge.from === 'string' && typeof edge.to === 'string') {
    return { problem, path: [cut(edge.from), cut(edge.to)], at: 'edge', hint };
  }
  return { problem, path: [], hint: `Look at ${hint}.` };
}

function messageFor(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => message).join('; ');
  return issue.message;
}

const cut = (text: string) => (text.length > 64 ? `${text.slice(0, 64)}…` : text);
