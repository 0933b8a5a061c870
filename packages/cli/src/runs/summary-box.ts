import { printable } from '../printable.ts';
import { cutToWidth, displayWidth } from '../progress/display-width.ts';
import type { AgentSummary } from './agent-summary.ts';
import { inDollars, inTime } from './words.ts';

export interface BoxFacts extends AgentSummary {
  readonly id: string;
  readonly state: string;
  readonly task: string;
  readonly durationMs: number;
  readonly iterations: number;
  readonly tokens: { readonly prompt: number; readonly completion: number };
  readonly cost: number;
}

const width = 58;
const inner = width - 4;
const taskWidth = 39;
const icons: Readonly<Record<string, string>> = {
  completed: '✓',
  failed: '✗',
  timeout: '✗',
  cancelled: '–',
  paused: '‖',
};

/** The box that ends a run of a coding agent: 58 columns, whatever is in it. Pure. */
export function summaryBox(facts: BoxFacts): string[] {
  const { tokens, tools, files } = facts;
  const total = (tokens.prompt + tokens.completion).toLocaleString('en');
  const rows = [
    row('Run', facts.id),
    row('Status', `${icons[facts.state] ?? '·'} ${facts.state}`),
    row('Task', cutToWidth(printable(facts.task), taskWidth)),
    row('Duration', inTime(facts.durationMs)),
    row('Iterations', String(facts.iterations)),
    row('Model', facts.model ?? 'none'),
    row(
      'Tokens',
      `${total} (${tokens.prompt.toLocaleString('en')} in, ${tokens.completion.toLocaleString('en')} out)`,
    ),
    row('Cost', inDollars(facts.cost)),
  ];
  if (tools.length > 0) {
    rows.push('', 'Tools');
    for (const { name, calls, averageMs } of tools) {
      rows.push(
        `  ${cutToWidth(printable(name), 26).padEnd(26)} ${String(calls).padStart(5)} × ${averageMs} ms`,
      );
    }
  }
  if (files.length > 0) {
    rows.push('', 'Files modified');
    for (const file of files) rows.push(`  ${printable(file)}`);
  }
  return [
    `╭${'─'.repeat(width - 2)}╮`,
    ...rows.map((text) => {
      const cut = cutToWidth(text, inner);
      return `│ ${cut}${' '.repeat(inner - displayWidth(cut))} │`;
    }),
    `╰${'─'.repeat(width - 2)}╯`,
  ];
}

function row(label: string, value: string): string {
  return `${label.padEnd(12)} ${value}`;
}
