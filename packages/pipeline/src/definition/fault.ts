import { ForgeError } from '@forge/core';
import { drawPath } from './draw-path.ts';

/** Something that makes a pipeline unusable, and where in it that is. */
export interface Fault {
  /** What is wrong, in a sentence. */
  readonly problem: string;
  /** Nodes on the way to it. */
  readonly path: readonly string[];
  /** The step of the path to point at, or `edge`: the last arrow. Default: the last step. */
  readonly at?: number | 'edge';
  /** Beside the pointer: what to do. */
  readonly hint: string;
}

const mostShown = 30;

/** One error with everything that is wrong. */
export function invalidPipeline(name: string, faults: readonly Fault[]): ForgeError {
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  const shown = faults.slice(0, mostShown).map((fault, index) => {
    const number = `${index + 1}. `;
    const drawing = drawPath(fault).map((line) => `\n${' '.repeat(number.length)}${line}`);
    return `${number}${fault.problem}${drawing.join('')}`;
  });
  if (faults.length > mostShown) shown.push(`… and ${faults.length - mostShown} more.`);
  return new ForgeError(
    'invalid_pipeline',
    `The pipeline ${JSON.stringify(name)} cannot be run as it is written: ${count}.\n\n${shown.join('\n\n')}`,
  );
}
