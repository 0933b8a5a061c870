import { fateOf } from '@forge/sandbox/owner';
import { sleep } from '../sleep.ts';
import type { TargetContext } from '../target.ts';
import { askKeeper, askRunningKeeper } from './ask-keeper.ts';
import { readKeeperState } from './keeper-state.ts';

const pollEvery = 20;
const mostMs = 10_000;

/** Ends all releases of a folder and their keeper. Where the keeper was killed, a new one ends what it left. */
export async function stopKeeper({
  folder,
  signal,
}: Pick<TargetContext, 'folder' | 'signal'>): Promise<void> {
  const before = readKeeperState(folder);
  const hasLeft = Object.keys(before?.releases ?? {}).length > 0;
  const ask = hasLeft ? askKeeper : askRunningKeeper;
  if ((await ask(folder, { op: 'stop' }, { signal })) === undefined) return;
  const { keeper } = readKeeperState(folder) ?? {};
  for (let waited = 0; waited < mostMs; waited += pollEvery) {
    if (keeper === undefined || fateOf(keeper) !== 'alive') return;
    await sleep(pollEvery, signal);
  }
}
