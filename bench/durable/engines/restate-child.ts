import { stepsPerRun } from '../engine.ts';
import { moduleIn } from '../install.ts';
import { obeyRuns } from '../obey-runs.ts';

interface Context {
  run<T>(name: string, step: () => Promise<T>): Promise<T>;
}
interface Restate {
  service(service: {
    readonly name: string;
    readonly handlers: { run(context: Context): Promise<number> };
  }): unknown;
  serve(options: { readonly services: readonly unknown[]; readonly port: number }): Promise<number>;
}

const [folder = '', ingress = '', admin = '', port = ''] = process.argv.slice(2);
const restate: Restate = await import(moduleIn(folder, '@restatedev/restate-sdk'));
const stepper = restate.service({
  name: 'stepper',
  handlers: {
    async run(context) {
      let done = 0;
      for (let number = 1; number <= stepsPerRun; number++) {
        await context.run('step', async () => `done ${number}`);
        done += 1;
      }
      return done;
    },
  },
});
await restate.serve({ services: [stepper], port: Number(port) });
await ask(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}` });

obeyRuns({ runOne: async () => Number(await ask(`${ingress}/stepper/run`)) });

async function ask(url: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} said ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
