import { ForgeError, type RunEvent } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import { type Divergence, replayLog } from '@forge/runtime';
import { isBroken, type RunRow, type Store } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { familyRuns, runsBelow } from './family.ts';
import { shortId } from './short-id.ts';
import { withRunWorkshop } from './with-run-workshop.ts';
import { counted } from './words.ts';

interface Replayed {
  readonly runId: string;
  readonly agent: string;
  readonly events: number;
  /** Undefined: there is no agent of that name any more. */
  readonly divergences: readonly Divergence[] | undefined;
}

/** `forge replay`, once its flags are read. */
export async function replayRun(
  id: string,
  { context, json }: { readonly context: CommandContext; readonly json: boolean },
): Promise<void> {
  await withRunWorkshop(context, id, async (workshop, run) => {
    const { store } = workshop;
    const terminal = context.terminal();
    const agents = new Map((await workshop.agents()).map((agent) => [agent.name, agent]));
    const replays: Replayed[] = [];
    for (const each of runsBelow(await familyRuns(store, run.rootId), run.id)) {
      const agent = agents.get(each.agent);
      const events = await readAll(store, each);
      const divergences = agent && replayLog(agent, events).divergences;
      replays.push({
        runId: each.id,
        agent: bareAgent(each.agent),
        events: events.length,
        divergences,
      });
    }
    const isSame = replays.every(({ divergences }) => divergences?.length === 0);
    if (!isSame) context.endWith(exitCodes.failed);
    if (json) {
      terminal.out(JSON.stringify({ same: isSame, runs: replays }));
      return;
    }
    const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
    const ids = widest(replays.map(({ runId }) => shortId(runId)));
    const names = widest(replays.map(({ agent }) => agent));
    const counts = widest(replays.map(({ events }) => counted(events, 'event')));
    for (const { runId, agent, events, divergences } of replays) {
      const [first] = divergences ?? [];
      const verdict =
        divergences === undefined
          ? terminal.style('yellow', 'there is no such agent in this project')
          : first === undefined
            ? terminal.style('green', 'every decision is the same')
            : terminal.style('red', different(first, divergences.length));
      const about = `${terminal.style('bold', agent.padEnd(names))}  ${counted(events, 'event').padStart(counts)}`;
      terminal.out(`${terminal.style('dim', shortId(runId).padEnd(ids))}  ${about}  ${verdict}`);
    }
  });
}

function different({ seq, recorded, decided }: Divergence, count: number): string {
  const instead = decided.length === 0 ? 'wait' : decided.join(', ');
  const more = count === 1 ? '' : ` (and ${count - 1} more)`;
  return `event ${seq} was ${recorded}, now it would ${instead === 'wait' ? instead : `be ${instead}`}${more}`;
}

async function readAll(store: Store, run: RunRow): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  while ((events.at(-1)?.seq ?? 0) < run.seq) {
    const page = await store.events(run.id, { after: events.at(-1)?.seq ?? 0, limit: 500 });
    if (page.length === 0) break;
    for (const event of page) {
      if (isBroken(event)) {
        throw new ForgeError(
          'invalid_event',
          `Event ${event.seq} of run ${run.id} cannot be read: ${event.broken}`,
        );
      }
      events.push(event);
    }
  }
  return events;
}
