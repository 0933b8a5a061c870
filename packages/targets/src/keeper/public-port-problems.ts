import { fateOf } from '@forge/sandbox/owner';
import type { TargetContext, TargetProblem } from '../target.ts';
import { describePortProblem, portProblem } from './free-port.ts';
import { readKeeperState } from './keeper-state.ts';

/** Whether the public address can be had, or its port is ours already: then it can be moved. */
export async function publicPortProblems({
  folder,
  config: { host, port },
}: {
  readonly folder: TargetContext['folder'];
  readonly config: { readonly host: string; readonly port: number };
}): Promise<TargetProblem[]> {
  const state = readKeeperState(folder);
  const isKept = state?.keeper !== undefined && fateOf(state.keeper) === 'alive';
  if (isKept && state.live !== undefined && state.port === port) return [];
  const code = await portProblem(host, port);
  return code === undefined ? [] : [describePortProblem({ host, port }, code)];
}
