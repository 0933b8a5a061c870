import type { Try } from './try-out.ts';

export interface Row {
  readonly engine: string;
  readonly condition: string;
  readonly tries: number;
  readonly solved: number;
  readonly turns: number;
  readonly outputTokens: number;
  readonly seconds: number;
  readonly rescued: number;
  readonly mended: number;
  readonly constrained: number;
  readonly refused: Readonly<Record<string, number>>;
}

export function summarise(engine: string, condition: string, tries: readonly Try[]): Row {
  const sum = (pick: (one: Try) => number) => tries.reduce((total, one) => total + pick(one), 0);
  const refused: Record<string, number> = {};
  for (const one of tries) {
    for (const [kind, count] of Object.entries(one.refused)) {
      refused[kind] = (refused[kind] ?? 0) + count;
    }
  }
  return {
    engine,
    condition,
    tries: tries.length,
    solved: sum((one) => Number(one.solved)),
    turns: sum((one) => one.turns),
    outputTokens: sum((one) => one.outputTokens),
    seconds: Math.round(sum((one) => one.seconds)),
    rescued: sum((one) => one.rescued),
    mended: sum((one) => one.mended),
    constrained: sum((one) => one.constrained),
    refused,
  };
}

/** The rows as a Markdown table. */
export function toTable(rows: readonly Row[]): string {
  const head =
    '| engine | guardrails | solved | turns | tokens | rescued | mended | schema | refused |';
  const line = '|---|---|---|---|---|---|---|---|---|';
  const body = rows.map((row) => {
    const refused = Object.entries(row.refused).map(([kind, count]) => `${kind} ${count}`);
    return `| ${[
      row.engine,
      row.condition,
      `${row.solved} of ${row.tries}`,
      row.turns,
      row.outputTokens,
      row.rescued,
      row.mended,
      row.constrained,
      refused.join(', ') || '0',
    ].join(' | ')} |`;
  });
  return [head, line, ...body].join('\n');
}
