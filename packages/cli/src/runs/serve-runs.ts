import { once } from 'node:events';
import type { CommandContext, WorkshopOptions } from '../context.ts';
import { SideWorkers } from './side-workers.ts';
import { withWorkshop } from './with-workshop.ts';
import { counted } from './words.ts';

/** Milliseconds that what runs has to come to its end. */
const grace = 30_000;

/** `forge worker`, once its flags are read. */
export async function serveRuns(
  context: CommandContext,
  { concurrency, queue }: { readonly concurrency?: number; readonly queue?: string },
): Promise<void> {
  const { signal } = context;
  const flags = {
    ...(concurrency !== undefined && { worker: { concurrency } }),
    ...(queue !== undefined && { queue }),
  };
  await withWorkshop(context, { flags }, async (workshop) => {
    const terminal = context.terminal();
    const tell = (line: string) => terminal.err(`forge: ${line}`);
    const { project, settings } = workshop;
    const most = concurrency ?? settings.worker.concurrency;
    const open = (settings: Omit<WorkshopOptions, 'context'>) =>
      context.openWorkshop({ context, ...settings });
    const beside = new SideWorkers({ open, concurrency: most, tell });
    const worker = await workshop.startWorker({
      ...{ concurrency: most, onProblem: tell, view: beside.view },
    });
    terminal.err(`Working on runs of ${project}, up to ${most} at once. Stop with Ctrl-C.`);
    context.endsWellWhenStopped();
    try {
      if (!signal.aborted) await once(signal, 'abort');
      const active = worker.active + beside.active;
      if (active > 0) tell(`Waiting for ${counted(active, 'run')} to end; Ctrl-C does not wait.`);
    } finally {
      await Promise.all([worker.stop({ grace }), beside.stop({ grace })]);
    }
  });
}
