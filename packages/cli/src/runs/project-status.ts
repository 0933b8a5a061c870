import { bareAgent, projectAgent } from '@forge/pipeline/names';
import type { DeploymentRow, RunRow, Store } from '@forge/store';
import type { Workshop } from '../workshop/workshop.ts';
import { familyRuns } from './family.ts';
import { titleOf } from './find-run.ts';
import { type StateWord, stateWord } from './run-state.ts';

export interface ListedRun {
  readonly pipelineId: string;
  readonly agent: string;
  readonly task: string;
  readonly state: StateWord;
  readonly success: boolean;
  readonly durationMs: number;
  /** Runs of agents below it. */
  readonly agentCount: number;
  readonly timestamp: string;
}

/** How a project stands. */
export interface ProjectStatus {
  readonly projectName: string;
  readonly language: string | null;
  readonly deployTarget: string | null;
  readonly live: Pick<DeploymentRow, 'id' | 'target' | 'url' | 'commit' | 'verified'> | null;
  /** Runs that have not ended. */
  readonly activeRuns: readonly ListedRun[];
  /** What waits for a person. */
  readonly waitingApprovals: number;
  readonly recentRuns: readonly ListedRun[];
  readonly stats: {
    readonly totalRuns: number;
    readonly totalDeployments: number;
    /** Of the runs that ended, the share that was completed; null before the first. */
    readonly successRate: number | null;
    readonly totalFeedback: number;
  };
}

const shown = 5;
/** Rows of a list are counted no further. */
const mostCounted = 10_000;
const page = 500;

export async function projectStatus({
  store,
  settings,
  project,
}: Pick<Workshop, 'store' | 'settings' | 'project'>): Promise<ProjectStatus> {
  const { target } = settings.deploy;
  const mine = { topOnly: true, label: { name: 'forge.project', value: project } } as const;
  const [recent, active, counts, live, deployments, feedback, waiting] = await Promise.all([
    store.runs(mine, { limit: shown }),
    store.runs({ ...mine, states: ['open', 'paused'] }, { limit: 20 }),
    countOf(store, project),
    liveDeployment(store, project, target),
    count((after) => store.deployments.list({ project }, { limit: page, ...after })),
    count((after) => store.outcomes({ kind: 'human' }, { limit: page, ...after })),
    count((after) => store.approvals({ state: 'pending' }, { limit: page, ...after })),
  ]);
  const ended = counts.completed + counts.failed + counts.cancelled + counts.dead;
  const now = await store.now();
  return {
    projectName: project,
    language: settings.language ?? null,
    deployTarget: target ?? null,
    live: live ?? null,
    activeRuns: await Promise.all(active.items.map((run) => listed(store, run, now))),
    waitingApprovals: waiting,
    recentRuns: await Promise.all(recent.items.map((run) => listed(store, run, now))),
    stats: {
      totalRuns: ended + counts.open + counts.paused,
      totalDeployments: deployments,
      successRate: ended === 0 ? null : counts.completed / ended,
      totalFeedback: feedback,
    },
  };
}

/** Of the runs that commands start. */
async function countOf(store: Store, project: string) {
  const names = ['pipeline', 'agent', 'reviewer', 'deploy'];
  const all = await Promise.all(
    names.map((name) => store.countRuns({ topOnly: true, agent: projectAgent(project, name) })),
  );
  const sum = (state: RunRow['state']) => all.reduce((total, counts) => total + counts[state], 0);
  return {
    completed: sum('completed'),
    failed: sum('failed'),
    cancelled: sum('cancelled'),
    dead: sum('dead'),
    open: sum('open'),
    paused: sum('paused'),
  };
}

async function liveDeployment(store: Store, project: string, target: string | undefined) {
  const row =
    target === undefined
      ? (await store.deployments.list({ project, state: 'live' }, { limit: 1 })).items[0]
      : await store.deployments.live(project, target);
  if (row === undefined) return undefined;
  const { id, url, commit, verified } = row;
  return { id, target: row.target, url, commit, verified };
}

async function listed(store: Store, run: RunRow, now: number): Promise<ListedRun> {
  const family = await familyRuns(store, run.id);
  return {
    pipelineId: run.id,
    agent: bareAgent(run.agent),
    task: titleOf(run),
    state: stateWord(run),
    success: run.state === 'completed',
    durationMs: (run.finishedAt ?? now) - run.createdAt,
    agentCount: family.length - 1,
    timestamp: new Date(run.createdAt).toISOString(),
  };
}

async function count(
  read: (after: { readonly after?: string }) => Promise<{
    readonly items: readonly unknown[];
    readonly next: string | undefined;
  }>,
): Promise<number> {
  let total = 0;
  let after: string | undefined;
  do {
    const { items, next } = await read(after === undefined ? {} : { after });
    total += items.length;
    after = next;
  } while (after !== undefined && total < mostCounted);
  return total;
}
