import type { Guard, Problem } from '@forge/core';
import type { WireReply } from '@forge/models';

/**
 * A plain answer that the client's own length limit cut. The kernel would ask for a shorter one;
 * a client that set the limit gets what it asked for, with the finish that says so.
 */
export function isCutAnswer(
  { toolChoice }: Guard,
  problems: readonly Problem[],
  { finish }: WireReply,
): boolean {
  const [problem, ...others] = problems;
  return (
    finish === 'length' &&
    others.length === 0 &&
    problem?.kind === 'cut_off' &&
    problem.tool === undefined &&
    (toolChoice === 'auto' || toolChoice === 'none')
  );
}
