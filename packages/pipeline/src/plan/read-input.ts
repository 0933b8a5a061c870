import type { JsonValue, ProgramView } from '@forge/core';
import type { CheckedPipeline } from '../definition/compile-pipeline.ts';
import { issuesOf, type Output } from './read-output.ts';

/** What a run of a pipeline was given: the JSON of the first thing said to it. */
export function readInput({ input }: CheckedPipeline, view: ProgramView): Output {
  const [text = ''] = view.input;
  let problem: string;
  try {
    const value = JSON.parse(text) as JsonValue;
    if (input.accepts(value)) return { ok: true, value };
    problem = issuesOf(input, value);
  } catch {
    problem = 'it is not JSON';
  }
  return { ok: false, reason: `The pipeline was given something else than it takes: ${problem}.` };
}
