import type { RunRow } from '@forge/store';
import type { Workshop } from '../workshop/workshop.ts';
import { startEndingWorker } from './ending-worker.ts';

/**
 * Ends a run that was told to, and everything below it, where nobody else works on them. False if it
 * has not ended when the signal aborts: the order is on disk, and whoever takes the run up ends it.
 */
export async function endHere(
  workshop: Workshop,
  run: RunRow,
  signal: AbortSignal,
): Promise<boolean> {
  const worker = await startEndingWorker(workshop, run);
  try {
    await workshop.runtime.ended(run.id, { signal });
    await worker.idle();
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    await worker.stop({ grace: 0 });
  }
}
