import type { ComparisonResult } from './compare.ts';
import type { ScalingResult } from './scale.ts';
import type { Spread } from './statistics.ts';
import type { TableResult } from './table.ts';

export function toMarkdown(result: ComparisonResult | ScalingResult | TableResult): string {
  const table = tableOf(result);
  const notes = result.notes.map((note) => `- ${note}`);
  return [`### ${result.title}`, '', ...table, ...(notes.length > 0 ? ['', ...notes] : [])].join(
    '\n',
  );
}

function tableOf(result: ComparisonResult | ScalingResult | TableResult): string[] {
  switch (result.kind) {
    case 'comparison':
      return comparisonTable(result);
    case 'scaling':
      return scalingTable(result);
    case 'table':
      return table(result.head, result.rows);
    default:
      throw new Error(`unhandled result ${JSON.stringify(result satisfies never)}`);
  }
}

function comparisonTable({ baseline, contenders }: ComparisonResult): string[] {
  const rows = contenders.map(({ name, nanoseconds, ratio, target }) => [
    name,
    `${formatTime(nanoseconds.median)} (${formatTime(nanoseconds.p10)}–${formatTime(nanoseconds.p90)})`,
    name === baseline ? '1' : `${formatRatio(ratio)} ×`,
    target === undefined ? '' : `≤ ${target.atMost} × ${target.met ? 'met' : '**missed**'}`,
  ]);
  return table(['contender', 'time (p10–p90)', `against ${baseline}`, 'target'], rows);
}

function scalingTable({ unit, cases }: ScalingResult): string[] {
  const rows = cases.map(({ name, points, exponent, target }) => [
    name,
    points.map(({ size }) => size.toLocaleString('en')).join(' → '),
    points.map(({ nanoseconds }) => formatTime(nanoseconds.median)).join(' → '),
    exponent.toFixed(2),
    target === undefined ? '' : `≤ ${target.atMost} ${target.met ? 'met' : '**missed**'}`,
  ]);
  return table(['case', unit, 'median time', 'exponent', 'target'], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

function formatRatio({ median, p10, p90 }: Spread): string {
  return `${formatFigure(median)} (${formatFigure(p10)}–${formatFigure(p90)})`;
}

/** Three significant digits, without an exponent. */
export function formatFigure(value: number): string {
  if (!Number.isFinite(value)) return 'n/a';
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString('en', { maximumFractionDigits: Math.min(digits, 6) });
}

export function formatTime(nanoseconds: number): string {
  if (nanoseconds >= 1e9) return `${formatFigure(nanoseconds / 1e9)} s`;
  if (nanoseconds >= 1e6) return `${formatFigure(nanoseconds / 1e6)} ms`;
  if (nanoseconds >= 1e3) return `${formatFigure(nanoseconds / 1e3)} µs`;
  return `${formatFigure(nanoseconds)} ns`;
}
