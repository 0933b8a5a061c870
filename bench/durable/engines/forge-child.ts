import { openStore } from '@forge/store';
import { createRuntime } from '../../../packages/runtime/src/control/create-runtime.ts';
import { createWorker } from '../../../packages/runtime/src/worker/create-worker.ts';
import { obeyRuns } from '../obey-runs.ts';
import { stepAgent, stepModel } from '../step-agent.ts';

const store = await openStore(process.argv[2] ?? '');
const runtime = createRuntime({ store });
const steps = new Map<string, number>();
const waiting = new Map<string, (steps: number) => void>();
const agent = stepAgent((runId) => steps.set(runId, (steps.get(runId) ?? 0) + 1));
const worker = createWorker({
  store,
  agents: [agent],
  model: stepModel,
  concurrency: 50,
  onRest(runId) {
    waiting.get(runId)?.(steps.get(runId) ?? 0);
    waiting.delete(runId);
    steps.delete(runId);
  },
  onProblem({ error }) {
    throw error;
  },
});
let launched = 0;

obeyRuns({
  async runOne() {
    launched += 1;
    const id = `run-${launched}`;
    const ended = new Promise<number>((resolve) => waiting.set(id, resolve));
    await runtime.launch(agent.name, 'Do all steps.', { id });
    return ended;
  },
  async close() {
    await worker.stop({ grace: 0 });
    await store.close();
  },
});
