import { askOnce } from '../health/ask-once.ts';
import { awaitHealthy } from '../health/await-healthy.ts';
import type { HealthConfig } from '../health/health-check.ts';
import type { Health, TargetContext } from '../target.ts';
import { askKeeper } from './ask-keeper.ts';
import { type KeeperStatus, keeperStatusSchema } from './control-messages.ts';
import { readKeeperState } from './keeper-state.ts';

/** It will not become healthy, so nobody need wait for it. */
class GivenUp extends Error {}

/**
 * Asks the live release by its public address, as its users do. Where the keeper is gone it is
 * started again first. A release that comes back in time is healthy; one that was given up is not.
 */
export async function checkKept(
  { folder, signal }: Pick<TargetContext, 'folder' | 'signal'>,
  health: HealthConfig,
): Promise<Health> {
  if (readKeeperState(folder)?.live === undefined) {
    return { healthy: false, report: 'Nothing is deployed here.' };
  }
  const status = async () =>
    keeperStatusSchema.parse(await askKeeper(folder, { op: 'status' }, { signal }));
  const first = await status();
  const base = first.url;
  if (base === undefined) return unwell(first);
  try {
    const { healthy, report } = await awaitHealthy({
      ...{ base, health, signal },
      ask: async (abort) => {
        const answer = await askOnce(base, health, abort);
        if (!answer.right && (await status()).phase === 'crash_loop') throw new GivenUp();
        return answer;
      },
    });
    const { live, restarts } = await status();
    const times = restarts === 1 ? 'once' : `${restarts} times`;
    const again = restarts === 0 ? '' : ` It was restarted ${times}.`;
    return { healthy, report: `${live}: ${report}${again}` };
  } catch (error) {
    if (!(error instanceof GivenUp)) throw error;
    return unwell(await status());
  }
}

function unwell({ live, failure, phase }: KeeperStatus): Health {
  const why = failure ?? `It is ${phase ?? 'not there'} and listens nowhere.`;
  return { healthy: false, report: `${live ?? 'Nothing'}: ${why}` };
}
