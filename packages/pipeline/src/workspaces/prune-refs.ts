import { gitOnRefs, openRepository } from '@forge/sandbox';
import { runOfRef, runRefs, startRef } from './run-ref.ts';

/**
 * Forgets the trees of runs that nobody needs any more; git removes their objects in its own time.
 * Gives the ids of those runs. A ref that moves meanwhile stays.
 */
export async function pruneRefs(
  repo: string,
  isNeeded: (runId: string) => boolean | Promise<boolean>,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const repository = await openRepository(repo, signal);
  const list = ['for-each-ref', '--format=%(objectname) %(refname)', runRefs];
  const { output } = await gitOnRefs(repository, { args: list, signal });
  const removed: string[] = [];
  for (const line of output.toString('utf8').split('\n')) {
    const [commit = '', ref = ''] = line.split(' ');
    const runId = runOfRef(ref);
    if (runId === undefined || (await isNeeded(runId))) continue;
    const args = ['update-ref', '--no-deref', '-d', ref, commit];
    const { code } = await gitOnRefs(repository, { args, codes: [0, 1, 128], signal });
    if (code !== 0) continue;
    removed.push(runId);
    const start = ['update-ref', '--no-deref', '-d', startRef(runId)];
    await gitOnRefs(repository, { args: start, codes: [0, 1, 128], signal });
  }
  return removed;
}
