import { printable } from '../printable.ts';
import { counted, inBrief, inDollars, inShort, inTime } from '../runs/words.ts';
import type { Style } from '../terminal.ts';
import { cutToWidth, displayWidth } from './display-width.ts';
import type { Progress, Step } from './progress.ts';
import type { PlannedStep } from './reporter.ts';
import { ownCalls, stepTree, type TreeRow } from './step-tree.ts';

export interface RenderOptions {
  readonly rootId: string;
  /** Columns and rows there are. No line is longer, and there are no more lines. */
  readonly width: number;
  readonly height: number;
  readonly now: number;
  /** Which picture of the spinner. */
  readonly frame: number;
  readonly style: (style: Style, text: string) => string;
  /** Steps that no run stands for; they are shown last. */
  readonly planned?: readonly PlannedStep[];
}

const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

/** A family of runs as lines for a terminal. Pure. */
export function renderProgress(progress: Progress, options: RenderOptions): readonly string[] {
  const rows = stepTree(progress, options.rootId);
  const { shown, left } = fitting(rows, Math.max(1, options.height));
  const lines = shown.map((row) => renderRow(row, progress, options));
  const { planned = [], style, width } = options;
  if (lines.length + planned.length <= options.height) {
    for (const step of planned) lines.push(style('dim', cutToWidth(plannedLine(step), width)));
  }
  if (left > 0 && lines.length < options.height)
    lines.push(options.style('dim', cutToWidth(`… and ${left} more`, options.width)));
  return lines;
}

/** Where there are too many, those that are over go first; what runs is what people look at. */
function fitting(rows: readonly TreeRow[], height: number) {
  if (rows.length <= height) return { shown: rows, left: 0 };
  const room = Math.max(1, height - 1);
  const busy = rows.filter(({ step }, index) => index === 0 || step.endedAt === undefined);
  const kept = new Set(busy.slice(0, room));
  for (const row of rows.toReversed()) if (kept.size < room) kept.add(row);
  return { shown: rows.filter((row) => kept.has(row)), left: rows.length - kept.size };
}

function plannedLine({ name, status }: PlannedStep): string {
  const shown = printable(name, 80);
  return status === 'skipped' ? `   – ${shown}  skipped` : `   · ${shown}`;
}

interface Look {
  readonly icon: string;
  readonly style: Style;
}

function renderRow(row: TreeRow, progress: Progress, options: RenderOptions): string {
  const { step, branch, round } = row;
  const { width, style } = options;
  const look = lookOf(step, options.frame);
  const name = printable(step.name, 80) + (round > 1 ? ` (${round})` : '');
  const right = figures(row, progress, options.now);
  const head = `${branch}${look.icon} `;
  const roomLeft = width - displayWidth(head);
  if (roomLeft < 1) return cutToWidth(head, width);
  // The figures are shown where there is room for a name beside them.
  const showsRight = roomLeft - displayWidth(right) - 2 >= Math.min(displayWidth(name), 16);
  const room = showsRight ? roomLeft - displayWidth(right) - 2 : roomLeft;
  const shownName = cutToWidth(name, room);
  const about = cutToWidth(
    aboutOf(step, progress),
    Math.max(0, room - displayWidth(shownName) - 2),
  );
  const used = displayWidth(shownName) + (about === '' ? 0 : 2 + displayWidth(about));
  const text = [
    style('dim', branch),
    style(look.style, look.icon),
    ' ',
    branch === '' ? style('bold', shownName) : shownName,
    about === '' ? '' : `  ${style(step.state === 'failed' ? 'red' : 'dim', about)}`,
  ].join('');
  if (!showsRight || right === '') return text;
  return `${text}${' '.repeat(room - used + 2)}${style('dim', right)}`;
}

function lookOf(step: Step, frame: number): Look {
  switch (step.state) {
    case 'completed':
      return step.outcome?.verdict === 'failure'
        ? { icon: '✗', style: 'yellow' }
        : { icon: '✓', style: 'green' };
    case 'failed':
      return { icon: '✗', style: 'red' };
    case 'cancelled':
      return { icon: '–', style: 'yellow' };
    case 'paused':
      return { icon: '‖', style: 'yellow' };
    case 'new':
      return { icon: '·', style: 'dim' };
    case 'running':
      if (step.asked.length > 0) return { icon: '?', style: 'yellow' };
      return { icon: [...spinner][frame % spinner.length] ?? '·', style: 'cyan' };
    default:
      return step.state satisfies never;
  }
}

/** What it does, or what came of it. */
function aboutOf(step: Step, progress: Progress): string {
  const notes = [doing(step, progress)];
  if (step.nudges > 0) notes.push(counted(step.nudges, 'nudge'));
  if (step.failures > 0) notes.push(counted(step.failures, 'failure'));
  return notes.filter((note) => note !== '').join(' · ');
}

function doing(step: Step, progress: Progress): string {
  switch (step.state) {
    case 'new':
      return 'waits for its turn';
    case 'paused':
      return 'paused';
    case 'failed':
    case 'cancelled':
      return printable(step.explanation ?? step.state, 300);
    case 'completed':
      return printable(step.outcome?.note ?? '', 300);
    case 'running': {
      const [asked] = step.asked;
      if (asked !== undefined) return `asks for a yes: ${asked.name} ${inBrief(asked.args)}`;
      const [call, ...others] = ownCalls(step, progress);
      if (call !== undefined) {
        const more = others.length === 0 ? '' : ` and ${others.length} more`;
        return `${call.name} ${inBrief(call.args)}`.trimEnd() + more;
      }
      return step.thinking ? 'thinking' : '';
    }
    default:
      return step.state satisfies never;
  }
}

/** Time, tokens and cost; at the top those of the whole family. */
function figures({ step, branch }: TreeRow, progress: Progress, now: number): string {
  if (step.startedAt === undefined) return '';
  const counts = branch === '' ? [...progress.values()] : [step];
  const tokens = counts.reduce((sum, each) => sum + each.tokens, 0);
  const cost = counts.reduce((sum, each) => sum + each.cost, 0);
  const parts = [inTime((step.endedAt ?? now) - step.startedAt)];
  if (tokens > 0) parts.push(`${inShort(tokens)} tokens`);
  if (cost > 0) parts.push(inDollars(cost));
  return parts.join('  ');
}
