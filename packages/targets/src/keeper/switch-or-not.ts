import type { Live, TargetContext } from '../target.ts';
import { askRunningKeeper } from './ask-keeper.ts';
import { readKeeperState } from './keeper-state.ts';

const settleMs = 30_000;

/**
 * Gives a release the traffic. A caller who lets go just when the keeper switches to it is told that
 * it is live, for it is; what rejects does not have the traffic.
 */
export async function switchOrNot<Context extends Pick<TargetContext, 'folder' | 'signal'>>(
  context: Context,
  release: string,
  activate: (context: Context) => Promise<Live>,
): Promise<Live> {
  try {
    return await activate(context);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    const signal = AbortSignal.timeout(settleMs);
    await askRunningKeeper(context.folder, { op: 'settle' }, { signal }).catch(() => {});
    if (readKeeperState(context.folder)?.live !== release) throw error;
    return await activate({ ...context, signal });
  }
}
