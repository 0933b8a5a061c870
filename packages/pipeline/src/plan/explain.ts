import type { JsonValue, ProgramCall } from '@forge/core';
import type { Loop } from '../definition/pipeline-schema.ts';
import { cut } from './read-output.ts';
import type { Failure } from './trace.ts';

/** Why a loop does not go back once more. */
export function describeExhausted(end: {
  readonly from: string;
  readonly to: string;
  readonly loop: Loop;
  readonly why: JsonValue | undefined;
}): string {
  const { from, to, loop, why } = end;
  const times = loop.max === 1 ? 'once' : `${loop.max} times`;
  const bound = loop.name === undefined ? 'the most there may be' : `${loop.name} is ${loop.max}`;
  const said = loop.exhausted ?? `${from} sent the work back to ${to} ${times}; ${bound}`;
  if (why === undefined || why === '') return `${from} failed: ${said}`;
  return `${from} failed: ${said}: ${cut(typeof why === 'string' ? why : JSON.stringify(why))}`;
}

/** Why a run cannot go on whose pipeline was changed. */
export function describeChanged(pipeline: string, { id }: ProgramCall): string {
  return `The pipeline "${pipeline}" was changed after this run began: the run made the call ${id}, which the pipeline would not make so any more. Begin a new run.`;
}

const mostShown = 5;

/** All failures of a run in one text. */
export function describeFailures(failures: readonly Failure[]): string {
  const shown = failures.slice(0, mostShown).map(({ explanation }) => explanation);
  if (failures.length > mostShown) shown.push(`… and ${failures.length - mostShown} more.`);
  return shown.join('\n');
}
