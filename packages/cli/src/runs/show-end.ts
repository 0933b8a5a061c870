import { isJsonObject, neutralise } from '@forge/core';
import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { findText, outputOf, pipelineResult } from './pipeline-result.ts';
import { stateStyles } from './run-state.ts';
import { shortId } from './short-id.ts';
import { inDollars, inShort, inTime } from './words.ts';
import type { Worked } from './work-on-run.ts';

/** Texts in a result that people want to see, and how they are called. */
const worthSeeing = [
  ['branch', 'branch'],
  ['url', 'serves at'],
  ['deploymentId', 'deployment'],
  ['commit', 'commit'],
] as const;

/** Says how a run ended and where to look next. With `json`, as one object on the last line. */
export async function showEnd(
  { view, left }: Worked,
  {
    workshop,
    context,
    json,
    isKept = true,
  }: {
    readonly workshop: Workshop;
    readonly context: CommandContext;
    readonly json: boolean;
    /** False: nothing can be looked up later. */
    readonly isKept?: boolean;
  },
): Promise<void> {
  const terminal = context.terminal();
  const result = await pipelineResult(workshop.store, view);
  if (json) {
    terminal.out(JSON.stringify(result));
  } else if (left === 'ended') {
    const { state, totalMs, tokens, cost } = result;
    const figures = [inTime(totalMs), `${inShort(tokens)} tokens`, inDollars(cost)].join(', ');
    terminal.out(`${terminal.style(stateStyles[state], state)} in ${figures}`);
    const output = outputOf(view);
    if (isJsonObject(output)) {
      for (const [name, label] of worthSeeing) {
        const found = findText(output, name);
        if (found !== undefined) terminal.out(`  ${label.padEnd(10)}  ${printable(found, 500)}`);
      }
      const summary = findText(output, 'summary');
      if (summary !== undefined) terminal.out(`  ${printable(summary, 1_000)}`);
    } else if (typeof output === 'string') {
      terminal.out(neutralise(output));
    }
    sayWhyNot(view, terminal);
  }
  if (!json && isKept) sayNext({ view, left }, context);
}

/** Of a run that has ended, and not well. */
export function sayWhyNot({ run }: Worked['view'], terminal: Terminal): void {
  if (run.state === 'completed') return;
  terminal.err(`forge: ${printable(run.explanation ?? run.state, 2_000)}`);
}

/** What can be done about it now. */
export function sayNext({ view, left }: Worked, context: CommandContext): void {
  const terminal = context.terminal();
  const id = shortId(view.run.id);
  if (left === 'paused') terminal.err(`Paused. Go on with: forge resume ${id}`);
  else if (left === 'cancelled') terminal.err(`Cancelled. What it did: forge inspect ${id}`);
  else terminal.err(terminal.screen.style('dim', `What it did: forge inspect ${id}`));
}
