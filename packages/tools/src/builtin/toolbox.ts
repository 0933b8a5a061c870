import type { ToolContext } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import type { Results } from '../results/create-results.ts';

/** A sandbox, or the way to the one of a run. */
export type SandboxSource = Sandbox | ((context: ToolContext) => Promise<Sandbox>);

/** What the tools that work in a sandbox share. */
export interface Toolbox {
  readonly sandboxOf: (context: ToolContext) => Promise<Sandbox>;
  readonly results: Results;
}

export function sandboxGetter(source: SandboxSource): Toolbox['sandboxOf'] {
  return typeof source === 'function' ? source : async () => source;
}
