import { join } from 'node:path';
import type { RunEvent } from '@forge/core';
import { type DeploymentRow, isBroken, openStore, type RunRow } from '@forge/store';
import type { DemoPlace } from './demo-place.ts';

export interface FamilyLog {
  readonly run: RunRow;
  readonly events: readonly RunEvent[];
}

/** All that the store of a demo holds, read as it is. */
export interface DemoRecord {
  /** The run of the pipeline first, then those it started. */
  readonly family: readonly FamilyLog[];
  /** Oldest first. */
  readonly deployments: readonly DeploymentRow[];
}

const most = 500;

export async function readRecord({ folder }: DemoPlace): Promise<DemoRecord> {
  const store = await openStore(join(folder, '.forge', 'runs.db'));
  try {
    const { items } = await store.runs({}, { limit: most });
    const root = items.find(({ agent, parentId }) => agent.endsWith('/pipeline') && !parentId);
    const runs = items
      .filter(({ rootId }) => rootId === root?.id)
      .sort((a, b) => a.createdAt - b.createdAt);
    const family: FamilyLog[] = [];
    for (const run of runs) {
      const events = await store.events(run.id, { limit: 10_000 });
      family.push({ run, events: events.filter((event) => !isBroken(event)) as RunEvent[] });
    }
    const deployments = (await store.deployments.list({}, { limit: most })).items.toReversed();
    return { family, deployments };
  } finally {
    await store.close();
  }
}

/** What has to be the same at the end of every demo, whatever happened on the way. */
export function endOf(place: DemoPlace, { family, deployments }: DemoRecord) {
  const [root] = family;
  const finished = root?.events.filter(({ type }) => type === 'run.finished') ?? [];
  const answer = root?.events.findLast(({ type }) => type === 'model.replied');
  const [branch = ''] = place.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/forge');
  const commitTrees = new Map(deployments.map(({ commit }) => [commit, treeOf(place, commit)]));
  return {
    state: root?.run.state,
    ends: finished.length,
    nodes: answer === undefined ? [] : nodesOf(answer),
    branches: place.git('for-each-ref', '--format=%(refname:short)', 'refs/heads'),
    tree: treeOf(place, branch),
    commits: place
      .git('log', '--format=%s', '--reverse', '--topo-order', `main..${branch}`)
      .toSorted(),
    runs: family.map(({ run }) => `${run.agent} ${run.state}`).toSorted(),
    deployments: deployments.map(({ commit, state, verified }) => ({
      ...{ state, verified },
      tree: commitTrees.get(commit),
    })),
  };
}

function treeOf(place: DemoPlace, commit: string): string | undefined {
  return place.git('rev-parse', `${commit}^{tree}`)[0];
}

function nodesOf(answer: RunEvent): unknown {
  if (answer.type !== 'model.replied') return [];
  const text = answer.reply.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return JSON.parse(text.join('')).nodes;
}
