import type { Redactor } from '@forge/core';
import type { Engine } from '../engine.ts';
import {
  beginDeployment,
  changeDeployment,
  getDeployment,
  listDeployments,
  liveDeployment,
} from '../sql/deployments.ts';
import { checkChange, checkDeployment } from './check-deployment.ts';
import type { DeploymentStore } from './deployment-store.ts';

export function createDeployments(
  { read, write }: Pick<Engine, 'read' | 'write'>,
  redactor: Redactor | undefined,
): DeploymentStore {
  return {
    async begin(deployment) {
      checkDeployment(deployment);
      return write((tx) => beginDeployment(tx, deployment));
    },
    async change(id, from, given, { alsoReplaces = false } = {}) {
      const change = checkChange(given, redactor);
      return write((tx) => changeDeployment(tx, { id, from, change, alsoReplaces }));
    },
    get: (id) => read((db) => getDeployment(db, id)),
    live: (project, target) => read((db) => liveDeployment(db, { project, target })),
    list: (filter, page) => read((db) => listDeployments(db, { filter, ...page })),
  };
}
