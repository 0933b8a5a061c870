import { bareAgent } from '@forge/pipeline/names';
import type { RunFilter, RunRow, Store } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { cutToWidth, displayWidth, padToWidth } from '../progress/display-width.ts';
import type { Terminal } from '../terminal.ts';
import { titleOf } from './find-run.ts';
import { stateStyles, stateWord } from './run-state.ts';
import { shortId } from './short-id.ts';
import { withWorkshop } from './with-workshop.ts';
import { inDate } from './words.ts';

const page = 200;

/** `forge list`, once its flags are read. */
export async function listRuns(
  context: CommandContext,
  {
    all = false,
    state,
    limit,
    json = false,
  }: {
    readonly all?: boolean;
    readonly state?: RunRow['state'];
    readonly limit: number;
    readonly json?: boolean;
  },
): Promise<void> {
  await withWorkshop(context, {}, async ({ store }) => {
    const terminal = context.terminal();
    const filter = {
      ...(!all && { topOnly: true }),
      ...(state !== undefined && { states: [state] }),
    };
    const runs = await newestRuns(store, filter, limit);
    if (json) {
      terminal.out(JSON.stringify(runs.map(toJson)));
      return;
    }
    if (runs.length === 0) {
      terminal.out(state === undefined ? 'No runs found yet.' : `No runs are ${state}.`);
      return;
    }
    for (const line of runTable(runs, terminal)) terminal.out(line);
  });
}

/** Page by page, so that a large number is no large answer. */
export async function newestRuns(
  store: Store,
  filter: RunFilter,
  limit: number,
): Promise<readonly RunRow[]> {
  const runs: RunRow[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await store.runs(filter, {
      limit: Math.min(page, limit - runs.length),
      ...(after !== undefined && { after }),
    });
    runs.push(...items);
    after = next;
  } while (after !== undefined && runs.length < limit);
  return runs.slice(0, limit);
}

/** A run for programs. */
export function toJson(run: RunRow): Record<string, unknown> {
  return {
    id: run.id,
    agent: bareAgent(run.agent),
    task: run.title,
    state: stateWord(run),
    reason: run.reason,
    explanation: run.explanation,
    iterations: run.turns,
    tokens: run.usage.inputTokens + run.usage.outputTokens,
    cost: run.cost,
    parentId: run.parentId,
    created_at: new Date(run.createdAt).toISOString(),
    completed_at: run.finishedAt === undefined ? null : new Date(run.finishedAt).toISOString(),
  };
}

const widestTask = 60;
const narrowestTask = 12;

/** Runs as a table that fits the terminal. Pure. */
function runTable(
  runs: readonly RunRow[],
  { style, columns }: Pick<Terminal, 'style' | 'columns'>,
): readonly string[] {
  const ids = runs.map(({ id }) => shortId(id));
  const idWidth = Math.max(...ids.map((id) => id.length), 2);
  const others = idWidth + 2 + 9 + 2 + 2 + 5 + 2 + 19;
  const longest = Math.max(...runs.map((run) => displayWidth(titleOf(run))), 4);
  const room = Math.max(narrowestTask, Math.min(longest, widestTask, columns - others));
  const heads = ['ID'.padEnd(idWidth), 'STATE'.padEnd(9), 'TASK'.padEnd(room), 'TURNS', 'BEGAN'];
  return [
    style('dim', heads.join('  ')),
    ...runs.map((run, index) => {
      const word = stateWord(run);
      return [
        (ids[index] ?? run.id).padEnd(idWidth),
        style(stateStyles[word], word.padEnd(9)),
        padToWidth(cutToWidth(titleOf(run), room), room),
        String(run.turns).padStart(5),
        style('dim', inDate(run.createdAt)),
      ].join('  ');
    }),
  ];
}
