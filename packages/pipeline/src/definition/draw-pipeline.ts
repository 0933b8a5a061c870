import { inOrder } from './compile-pipeline.ts';
import { describeCondition } from './describe-condition.ts';
import { describeRef } from './parse-ref.ts';
import type { PipelineDefinition, PipelineEdge } from './pipeline-schema.ts';

/**
 * A pipeline as a few lines of text, a node to a line and what leads to it:
 *
 *     plan    planner
 *     code    coder     each plan.tasks   after plan
 *     review  reviewer                    after code
 */
export function drawPipeline({ nodes, edges }: PipelineDefinition): string {
  const forward = edges.filter(({ loop }) => loop === undefined);
  const ids = inOrder(Object.keys(nodes), forward);
  const rows = ids.map((id) => {
    const node = nodes[id];
    const each = node?.each === undefined ? '' : `each ${describeRef(node.each.items)}`;
    const into = edges.filter(({ to }) => to === id);
    const first = into.filter(({ loop }) => loop === undefined).map(describeEdge);
    const loops = into.filter(({ loop }) => loop !== undefined).map(describeEdge);
    const ways = [
      ...(first.length > 0 ? [`after ${first.join(', ')}`] : []),
      ...loops.map((text) => `↺ ${text}`),
    ];
    return [id, node?.agent ?? '', each, ways.join('; ')];
  });
  const widths = [0, 1, 2].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .filter((_, column) => column !== 2 || (widths[2] ?? 0) > 0)
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

function describeEdge({ from, when, loop }: PipelineEdge): string {
  const condition = when === undefined ? '' : ` when ${describeCondition(when)}`;
  const times = loop?.max === 1 ? 'once' : `${loop?.max} times`;
  const bound = loop === undefined ? '' : ` (at most ${times})`;
  return `${from}${condition}${bound}`;
}
