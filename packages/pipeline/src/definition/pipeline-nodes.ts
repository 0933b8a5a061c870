import type { JsonSchema } from '@forge/core';
import type { CheckedPipeline } from './compile-pipeline.ts';

/** What it takes to make the tool of a node. */
export interface PipelineTool {
  /** The node, and the name of the tool. */
  readonly id: string;
  readonly agent: string;
  readonly description: string;
  readonly timeLimitMs?: number;
  /** What one call is given: for an `each`, one of its items. */
  readonly input: JsonSchema;
  readonly output: JsonSchema;
}

/** The tools a run of the pipeline needs, in the order of the graph. */
export function pipelineNodes(checked: CheckedPipeline): PipelineTool[] {
  return checked.nodes.map(({ id, definition: { agent, each, timeLimitMs }, input, output }) => ({
    id,
    agent,
    description:
      each === undefined
        ? `The node ${id}, done by ${agent}.`
        : `One ${each.as} of ${id}, done by ${agent}.`,
    ...(timeLimitMs !== undefined && { timeLimitMs }),
    input: input.schema,
    output: output.schema,
  }));
}
