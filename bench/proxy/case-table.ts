import { formatFigure } from '../harness/markdown.ts';
import type { TableResult } from '../harness/table.ts';
import type { Best } from './best-of.ts';
import type { Workload } from './workload.ts';

/** One workload's figures, at each number of connections. */
export interface CaseResult {
  readonly workload: Workload;
  readonly alone: readonly Best[];
  readonly crowded: readonly Best[];
}

export const crowd = 32;

/** One line for each contender. A request of a stream is a whole stream. */
export function caseTable(result: CaseResult, notes: readonly string[] = []): TableResult {
  const { workload, alone, crowded } = result;
  const { stream, title } = workload;
  const unit = stream ? 'stream' : 'request';
  const head = [
    'in the middle',
    `CPU µs per ${unit}, c=1`,
    `CPU µs per ${unit}, c=${crowd}`,
    'CPU against bare, c=1, 32',
    ...(stream ? [`first byte ms, c=1, ${crowd}`] : []),
    'p50 ms, c=1',
    `p50, p99 ms, c=${crowd}`,
    `${unit}s/s, c=${crowd}`,
    'RSS MB',
  ];
  const rows = alone.flatMap((one) => {
    const many = crowded.find(({ name }) => name === one.name);
    if (many === undefined) return [];
    return [
      [
        one.name,
        figure(one.cpu),
        figure(many.cpu),
        one.ratio === undefined ? '–' : `${figure(one.ratio)}, ${figure(many.ratio)} ×`,
        ...(stream ? [`${figure(one.firstByte)}, ${figure(many.firstByte)}`] : []),
        figure(one.p50),
        `${figure(many.p50)}, ${figure(many.p99)}`,
        figure(many.perSecond),
        figure(many.rss === undefined ? undefined : many.rss / 1e6),
      ],
    ];
  });
  return { kind: 'table', title, head, rows, notes, data: result };
}

function figure(value: number | undefined): string {
  return value === undefined ? '–' : formatFigure(value);
}
