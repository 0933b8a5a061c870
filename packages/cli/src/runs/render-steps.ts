import { isJsonObject, type JsonValue } from '@forge/core';
import { reviewSchema, verificationSchema } from '@forge/pipeline';
import { printable } from '../printable.ts';
import { displayWidth, padToWidth } from '../progress/display-width.ts';
import type { Style, Terminal } from '../terminal.ts';
import { wrapText } from '../wrap-text.ts';
import type { InspectedStep } from './inspection.ts';
import { stateStyles } from './run-state.ts';
import { shortPlace } from './short-id.ts';
import { counted, inDollars, inShort, inTime } from './words.ts';

const mostFindings = 20;
const widestName = 40;
const narrowestNote = 30;

const icons: Readonly<Record<InspectedStep['state'], string>> = {
  pending: '·',
  running: '…',
  waiting: '?',
  paused: '‖',
  completed: '✓',
  failed: '✗',
  timeout: '✗',
  cancelled: '–',
  dead: '✗',
};

/** The steps as a tree with columns, and below each what came of it. Pure. */
export function renderSteps(
  steps: readonly InspectedStep[],
  { style, columns, model }: Pick<Terminal, 'style' | 'columns'> & { readonly model?: string },
): string[] {
  const rows = steps.map((step) => ({
    step,
    head: `${step.branch}${iconOf(step)} ${nameOf(step)}`,
    time: timeOf(step),
    tokens: step.tokens === 0 ? '' : `${inShort(step.tokens)} tokens`,
    cost: step.cost === 0 ? '' : inDollars(step.cost),
  }));
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map(displayWidth));
  const heads = Math.min(widestName, widest(rows.map(({ head }) => head)));
  const times = widest(rows.map(({ time }) => time));
  const tokens = widest(rows.map((row) => row.tokens));
  const costs = widest(rows.map(({ cost }) => cost));
  const places = widest(steps.map(({ id }) => shortPlace(id.split('.').slice(1))));
  return rows.flatMap(({ step, head, ...figures }) => {
    const { branch, state, outcome } = step;
    const look: Style = outcome?.verdict === 'failure' ? 'yellow' : stateStyles[state];
    const right = [
      figures.time.padStart(times),
      ...(tokens === 0 ? [] : [figures.tokens.padStart(tokens)]),
      ...(costs === 0 ? [] : [figures.cost.padStart(costs)]),
      shortPlace(step.id.split('.').slice(1)).padEnd(places),
      whoOf(step),
    ];
    const icon = iconOf(step);
    const name = padToWidth(nameOf(step), heads - displayWidth(head) + displayWidth(nameOf(step)));
    const below = branch.replace('├─ ', '│  ').replace('└─ ', '   ');
    const room = Math.max(narrowestNote, columns - displayWidth(below) - 2);
    const notes = notesOf(step, model).flatMap((note) => wrapText(note, room));
    return [
      `${style('dim', branch)}${style(look, icon)} ${style('bold', name)}  ${style('dim', right.join('  ').trimEnd())}`,
      ...notes.map((note) => `${style('dim', below)}  ${note}`),
    ];
  });
}

function nameOf({ name, round }: InspectedStep): string {
  return `${printable(name, 80)}${round > 1 ? ` (${round})` : ''}`;
}

/** Work that was done and found bad is not well done. */
function iconOf({ state, outcome }: InspectedStep): string {
  return outcome?.verdict === 'failure' ? icons.failed : icons[state];
}

/** The version of the prompt says which agent it was. */
function whoOf({ agent, promptVersion, name }: InspectedStep): string {
  return printable(promptVersion ?? (agent === name ? '' : agent));
}

function timeOf({ startedAt, endedAt }: InspectedStep): string {
  return startedAt === undefined ? '' : inTime((endedAt ?? startedAt) - startedAt);
}

/** How it stands if that is worth a word, and what it handed on. */
function notesOf(step: InspectedStep, usual: string | undefined): string[] {
  const { model, state, nudges, failures, explanation } = step;
  const about = [
    model === undefined || model === usual || model === 'program' ? '' : printable(model, 200),
    state === 'completed' ? '' : state,
    nudges === 0 ? '' : counted(nudges, 'nudge'),
    failures === 0 ? '' : counted(failures, 'failure'),
  ].filter((part) => part !== '');
  return [
    ...(about.length === 0 ? [] : [about.join(', ')]),
    ...outputLines(step.output),
    ...(state !== 'completed' && explanation !== undefined ? [printable(explanation, 2_000)] : []),
  ];
}

/** What a step handed on, as far as it says something to people. */
function outputLines(output: JsonValue | undefined): string[] {
  if (output === undefined) return [];
  const review = reviewSchema.safeParse(output);
  if (review.success) {
    const { summary, findings } = review.data;
    return [
      printable(summary, 300),
      ...findings.slice(0, mostFindings).map(({ severity, file, line, message }) => {
        const where = line === undefined ? file : `${file}:${line}`;
        return `${severity}  ${printable(where, 120)}  ${printable(message, 300)}`;
      }),
    ];
  }
  const verification = verificationSchema.safeParse(output);
  if (verification.success) {
    const { summary, problems } = verification.data;
    return [printable(summary, 300), ...problems.map((problem) => printable(problem, 300))];
  }
  if (!isJsonObject(output)) return [printable(String(output), 300)];
  const { summary, branch, commit, url } = output;
  const facts = [
    ...(typeof branch === 'string' ? [`branch ${printable(branch)}`] : []),
    ...(typeof commit === 'string' ? [`commit ${printable(commit.slice(0, 12))}`] : []),
    ...(typeof url === 'string' ? [printable(url)] : []),
  ];
  return [
    ...(typeof summary === 'string' ? [printable(summary, 300)] : []),
    ...(facts.length === 0 ? [] : [facts.join(', ')]),
  ];
}
