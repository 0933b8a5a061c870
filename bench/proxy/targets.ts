import { formatFigure } from '../harness/markdown.ts';
import type { TableResult } from '../harness/table.ts';
import type { Best } from './best-of.ts';
import { type CaseResult, crowd } from './case-table.ts';

/** The names under which the contenders of a target are measured. */
export interface TargetNames {
  readonly ours: string;
  readonly bare: string;
  readonly portkey: string;
}

export const mostOfBare = 1.3;
export const leastBelowPortkey = 10;
export const latestFirstByte = 2;

/** What we promise, and what this run says of it. */
export function targetTable(cases: readonly CaseResult[], names: TargetNames): TableResult {
  const rows = cases.flatMap((result) => {
    const { workload } = result;
    const of = (list: readonly Best[], name: string) => list.find((each) => each.name === name);
    const counts = [
      { c: 1, list: result.alone },
      { c: crowd, list: result.crowded },
    ];
    return counts.flatMap(({ c, list }) => {
      const ours = of(list, names.ours);
      const bare = of(list, names.bare);
      const portkey = of(list, names.portkey);
      const where = `${workload.title}, c=${c}`;
      if (workload.name === 'call-1' || workload.name === 'call-20') {
        const below = divide(portkey?.cpu, ours?.cpu);
        return [
          row({
            what: `CPU ≤ ${mostOfBare} × bare`,
            where,
            value: ours?.ratio,
            unit: ' ×',
            met: (value) => value <= mostOfBare,
          }),
          // Alone on the line, waking up is most of what anybody spends, and nothing in Node,
          // not even the bare pass-through, can be so far below.
          ...(c === 1
            ? []
            : [
                row({
                  what: `CPU ≥ ${leastBelowPortkey} × less than Portkey's`,
                  where,
                  value: below,
                  unit: ' ×',
                  met: (value) => value >= leastBelowPortkey,
                }),
              ]),
        ];
      }
      if (workload.reply !== 'stream-text') return [];
      return [
        row({
          what: `first byte ≤ ${latestFirstByte} ms after bare's`,
          where,
          value: ours && bare ? ours.firstByte - bare.firstByte : undefined,
          unit: ' ms',
          met: (value) => value <= latestFirstByte,
        }),
      ];
    });
  });
  return {
    kind: 'table',
    title: 'Targets',
    head: ['target', 'traffic', 'this run', ''],
    rows,
    notes: [],
  };
}

function divide(value: number | undefined, by: number | undefined): number | undefined {
  return value === undefined || by === undefined ? undefined : value / by;
}

function row(options: {
  readonly what: string;
  readonly where: string;
  readonly value: number | undefined;
  readonly unit: string;
  readonly met: (value: number) => boolean;
}): string[] {
  const { what, where, value, unit, met } = options;
  if (value === undefined) return [what, where, 'not measured', ''];
  return [what, where, `${formatFigure(value)}${unit}`, met(value) ? 'met' : '**missed**'];
}
