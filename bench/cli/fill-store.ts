import { beginRun, defineAgent, type Happening } from '@forge/core';
import { ScriptedModel } from '@forge/core/testing';
import { openStore, type Store } from '@forge/store';

const familySize = 5;
const atOnce = 500;

/** Makes a store as a long-used project leaves it: families of runs that have ended. */
export async function fillStore(
  file: string,
  { runs, project }: { readonly runs: number; readonly project: string },
): Promise<void> {
  const store = await openStore(file);
  try {
    const agent = defineAgent({ name: 'bench' });
    const begin = await beginRun({ agent, model: new ScriptedModel([]), input: [] });
    for (let done = 0; done < runs; done += atOnce) {
      const ids = Array.from({ length: Math.min(atOnce, runs - done) }, (_, at) => done + at);
      // Parents before their children.
      await Promise.all(ids.filter(isTop).map((id) => createRun(store, id, project)));
      await Promise.all(ids.filter((id) => !isTop(id)).map((id) => createRun(store, id, project)));
      await endRuns(store, begin);
    }
    await createRun(store, runs, project);
  } finally {
    await store.close();
  }
}

function isTop(id: number): boolean {
  return id % familySize === 0;
}

async function createRun(store: Store, id: number, project: string): Promise<void> {
  const top = id - (id % familySize);
  await store.createRun({
    id: `run-${id}`,
    agent: `${project}/${isTop(id) ? 'pipeline' : 'coder'}`,
    title: `Request number ${id}`,
    labels: { 'forge.project': project },
    ...(!isTop(id) && { parent: { runId: `run-${top}`, callId: String(id) } }),
  });
}

/** All that are open, each with the shortest log there is. */
async function endRuns(store: Store, begin: Happening): Promise<void> {
  for (;;) {
    const leases = await store.claim({ owner: 'bench', ttl: 60_000, limit: atOnce });
    if (leases.length === 0) return;
    await Promise.all(
      leases.map(({ run, fence }, index) => {
        const status = index % 10 === 0 ? 'failed' : 'completed';
        return store.append({
          ...{ runId: run.id, fence, expectedSeq: run.seq, at: Date.now(), state: status },
          happenings: [
            begin,
            { type: 'run.finished', status, reason: 'answered', explanation: 'It ended.' },
          ],
        });
      }),
    );
  }
}
