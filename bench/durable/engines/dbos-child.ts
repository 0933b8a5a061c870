import { stepsPerRun } from '../engine.ts';
import { moduleIn } from '../install.ts';
import { obeyRuns } from '../obey-runs.ts';

interface Dbos {
  setConfig(config: Readonly<Record<string, unknown>>): void;
  registerWorkflow(work: () => Promise<number>, options: { name: string }): () => Promise<number>;
  runStep<T>(step: () => Promise<T>, options: { name: string }): Promise<T>;
  startWorkflow(work: () => Promise<number>): () => Promise<{ getResult(): Promise<number> }>;
  launch(): Promise<void>;
  shutdown(): Promise<void>;
}

const [folder = '', url = ''] = process.argv.slice(2);
const { DBOS }: { DBOS: Dbos } = await import(moduleIn(folder, '@dbos-inc/dbos-sdk'));
const workflow = DBOS.registerWorkflow(
  async () => {
    let done = 0;
    for (let number = 1; number <= stepsPerRun; number++) {
      await DBOS.runStep(async () => `done ${number}`, { name: 'step' });
      done += 1;
    }
    return done;
  },
  { name: 'stepper' },
);
DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error' });
await DBOS.launch();

obeyRuns({
  async runOne() {
    const handle = await DBOS.startWorkflow(workflow)();
    return handle.getResult();
  },
  close: () => DBOS.shutdown(),
});
