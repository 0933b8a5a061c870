import type { JsonValue, Outcome } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import type { Runtime } from '@forge/runtime';
import type { DeploymentRow, OutcomeRow, RunRow, Store } from '@forge/store';
import { isBroken } from '@forge/store';
import { evolveProgress, noProgress, type Progress, type Step } from '../progress/progress.ts';
import { stepTree } from '../progress/step-tree.ts';
import { familyPast, familyRuns, runsBelow } from './family.ts';
import { outputOf } from './pipeline-result.ts';
import { type StateWord, stateWord } from './run-state.ts';

/** One run of a family, with what came of it. */
export interface InspectedStep {
  readonly id: string;
  readonly name: string;
  readonly round: number;
  /** What stands before it in the tree. */
  readonly branch: string;
  readonly agent: string;
  readonly state: StateWord;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly turns: number;
  readonly tokens: number;
  readonly cost: number;
  readonly model: string | undefined;
  readonly promptVersion: string | undefined;
  /** How long its log is. */
  readonly events: number;
  readonly nudges: number;
  readonly failures: number;
  readonly outcome: Pick<Outcome, 'kind' | 'verdict' | 'note'> | undefined;
  readonly explanation: string | undefined;
  readonly output: JsonValue | undefined;
}

export interface Inspection {
  readonly run: RunRow;
  readonly steps: readonly InspectedStep[];
  readonly deployments: readonly DeploymentRow[];
  readonly outcomes: readonly OutcomeRow[];
  readonly totals: { readonly events: number; readonly tokens: number; readonly cost: number };
  /** Events that cannot be read. */
  readonly broken: number;
}

const mostOutcomes = 500;
const mostDeployments = 500;

/** Reads all of a run and what is below it. */
export async function inspect(
  { store, runtime }: { readonly store: Store; readonly runtime: Runtime },
  run: RunRow,
): Promise<Inspection> {
  const runs = runsBelow(await familyRuns(store, run.rootId), run.id);
  const byId = new Map(runs.map((each) => [each.id, each]));
  let progress: Progress = noProgress;
  let broken = 0;
  let events = 0;
  for await (const { run: of, event } of familyPast(store, runs)) {
    events += 1;
    if (isBroken(event)) broken += 1;
    else progress = evolveProgress(progress, of, event);
  }
  const outcomes = (
    await store.outcomes({ rootId: run.rootId }, { limit: mostOutcomes })
  ).items.filter(({ runId }) => byId.has(runId));
  const project = run.labels['forge.project'];
  const deployments =
    project === undefined
      ? []
      : (await store.deployments.list({ project }, { limit: mostDeployments })).items.filter(
          ({ runId }) => runId !== undefined && byId.has(runId),
        );
  const steps: InspectedStep[] = [];
  for (const { step, round, branch } of stepTree(progress, run.id)) {
    const row = byId.get(step.id);
    if (row === undefined) continue;
    const view = broken === 0 ? await runtime.view(step.id) : undefined;
    steps.push(inspected(step, row, { round, branch, outcomes, output: view && outputOf(view) }));
  }
  return {
    run,
    steps,
    deployments: deployments.toReversed(),
    outcomes: outcomes.toReversed(),
    totals: {
      events,
      tokens: steps.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: steps.reduce((sum, { cost }) => sum + cost, 0),
    },
    broken,
  };
}

function inspected(
  step: Step,
  row: RunRow,
  {
    round,
    branch,
    outcomes,
    output,
  }: {
    readonly round: number;
    readonly branch: string;
    readonly outcomes: readonly OutcomeRow[];
    readonly output: JsonValue | undefined;
  },
): InspectedStep {
  const { id, name, startedAt, endedAt, turns, tokens, cost, model, nudges, failures } = step;
  const own = outcomes.find((each) => each.runId === id && each.kind !== 'human');
  return {
    ...{ id, name, round, branch, startedAt, endedAt, turns, tokens, cost, model },
    ...{ nudges, failures, output },
    agent: bareAgent(step.agent),
    state: stateWord(row),
    promptVersion: own?.promptVersion,
    events: row.seq,
    outcome: step.outcome,
    explanation: step.explanation,
  };
}
