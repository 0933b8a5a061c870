import type { Deployer, Place } from '@forge/targets';
import type { DeployPort } from './ports.ts';

/** A project's place on a target, as the agents see it. */
export function createDeployPort(deployer: Deployer, place: Place): DeployPort {
  return {
    target: place.target,
    check: ({ commit, signal }) => deployer.check({ ...place, source: { commit }, signal }),
    async deploy({ id, commit, runId, signal, tell }) {
      const source = { commit };
      const row = await deployer.deploy({ ...place, id, source, runId, signal, tell });
      return { id: row.id, commit: row.commit, digest: row.digest ?? '', url: row.url };
    },
    async verify(id, passed, reason) {
      await deployer.verify(id, passed, reason);
    },
    async rollback({ from, reason, signal, tell }) {
      return { to: (await deployer.rollback({ ...place, from, reason, signal, tell })).id };
    },
    async withdraw({ id, reason, signal, tell }) {
      await deployer.withdraw({ ...place, from: id, reason, signal, tell });
    },
    health: (signal) => deployer.health({ ...place, signal }),
  };
}
