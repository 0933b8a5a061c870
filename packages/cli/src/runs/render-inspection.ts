import { isJsonObject } from '@forge/core';
import type { DeploymentRow } from '@forge/store';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { wrapText } from '../wrap-text.ts';
import { titleOf } from './find-run.ts';
import type { InspectedStep, Inspection } from './inspection.ts';
import { findText } from './pipeline-result.ts';
import { renderSteps } from './render-steps.ts';
import { stateStyles, stateWord } from './run-state.ts';
import { shortId } from './short-id.ts';
import { counted, inDate, inDollars, inShort, inTime } from './words.ts';

type Paper = Pick<Terminal, 'style' | 'columns'>;

/** An inspection as lines for people. Pure. */
export function renderInspection(inspection: Inspection, paper: Paper): string[] {
  const { run, steps, deployments, outcomes, broken } = inspection;
  const { style } = paper;
  const word = stateWord(run);
  const [top, ...below] = steps;
  const model = onlyModel(steps);
  const lines = [
    `${style(stateStyles[word], word)}  ${style('bold', titleOf(run))}`,
    ...factsOf(inspection, model).map(
      ([name, value]) => `  ${style('dim', name.padEnd(7))}  ${value}`,
    ),
  ];
  if (broken > 0) lines.push(style('red', `${counted(broken, 'event')} cannot be read.`));
  if (run.state !== 'completed' && run.explanation !== undefined) {
    lines.push('', ...wrapText(printable(run.explanation, 2_000), paper.columns));
  }
  // The run itself has been told of; it is a step where nothing is below it.
  const shown = below.length > 0 || top === undefined ? below : [top];
  if (shown.length > 0) {
    const rendered = renderSteps(shown, { ...paper, ...(model !== undefined && { model }) });
    lines.push('', style('bold', 'Steps'), ...rendered);
  }
  if (deployments.length > 0) {
    lines.push('', style('bold', 'Deployments'));
    lines.push(...deployments.flatMap((row) => deploymentLines(row, paper)));
  }
  if (outcomes.length > 0) {
    const good = outcomes.filter(({ verdict }) => verdict === 'success').length;
    lines.push('', `${style('bold', 'Outcomes')}  ${outcomes.length}, ${good} of them good`);
    for (const { kind, verdict, by, note } of outcomes) {
      if (kind !== 'human') continue;
      const why = note ? `, ${printable(note, 500)}` : '';
      lines.push(`  ${printable(by ?? 'somebody')}: ${verdict}${why}`);
    }
  }
  const id = shortId(run.id);
  lines.push(
    '',
    style('dim', `events   forge logs ${id}`),
    ...(below[0] === undefined
      ? []
      : [style('dim', `a step   forge logs ${shortId(below[0].id)}`)]),
    style('dim', `replay   forge replay ${id}`),
    style('dim', `fork     forge fork ${id} --at ${Math.max(1, run.seq)}`),
  );
  return lines;
}

function factsOf({ run, steps, totals }: Inspection, model: string | undefined) {
  const { 'forge.repo': repo, 'forge.base': base } = run.labels;
  const { endedAt = run.finishedAt } = steps[0] ?? {};
  const took =
    run.finishedAt === undefined ? '' : `, took ${inTime((endedAt ?? 0) - run.createdAt)}`;
  const branch = branchOf(steps);
  const facts: (readonly [string, string])[] = [
    ['run', run.id],
    ['began', `${inDate(run.createdAt)} UTC${took}`],
    [
      'spent',
      `${inShort(totals.tokens)} tokens, ${inDollars(totals.cost)}, ${counted(totals.events, 'event')}`,
    ],
  ];
  if (model !== undefined) facts.push(['model', printable(model)]);
  if (repo !== undefined) {
    const at = base === undefined ? '' : ` at ${printable(base.slice(0, 12))}`;
    facts.push(['repo', `${printable(repo, 500)}${at}`]);
  }
  if (branch !== undefined) facts.push(['branch', printable(branch)]);
  return facts;
}

/** The branch that came of it: what the run handed over, else the last step that made one. */
function branchOf(steps: readonly InspectedStep[]): string | undefined {
  const [top, ...below] = steps;
  for (const step of [...below.toReversed(), ...(top === undefined ? [] : [top])]) {
    const found = isJsonObject(step.output) ? findText(step.output, 'branch') : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where all were done by one model it is told of once. */
function onlyModel(steps: readonly InspectedStep[]): string | undefined {
  const models = steps.flatMap(({ model }) =>
    model === undefined || model === 'program' ? [] : [model],
  );
  const [first, ...others] = new Set(models);
  return others.length === 0 ? first : undefined;
}

function deploymentLines(row: DeploymentRow, { style, columns }: Paper): string[] {
  const { id, target, state, commit, url, verified, reason } = row;
  const look = state === 'live' ? 'green' : state === 'failed' ? 'red' : 'yellow';
  const checked = verified === undefined ? '' : verified ? 'verified' : 'not verified';
  const cells = [
    style(look, state.replaceAll('_', ' ').padEnd(11)),
    checked.padEnd(12),
    printable(target),
    commit.slice(0, 12),
    ...(url === undefined ? [] : [printable(url)]),
    style('dim', id),
  ];
  const why = reason === undefined ? [] : wrapText(printable(reason, 300), columns - 4);
  return [`  ${cells.join('  ')}`, ...why.map((line) => style('dim', `    ${line}`))];
}
