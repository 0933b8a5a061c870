import { gitOnRefs, openRepository } from '@forge/sandbox';
import { commitOf } from './read-commits.ts';
import { startRef } from './run-ref.ts';

/**
 * The commit a run begins with that names none, such as one that a schedule starts: the last one of
 * the repository when it was first asked for. Kept, so that it is the same for whoever asks later.
 */
export async function firstHead(repo: string, runId: string): Promise<string> {
  const repository = await openRepository(repo);
  const ref = startRef(runId);
  const kept = async () => {
    const args = ['rev-parse', '-q', '--verify', ref];
    const { output } = await gitOnRefs(repository, { args, codes: [0, 1] });
    return output.toString('utf8').trim();
  };
  const known = await kept();
  if (known !== '') return known;
  const head = await commitOf(repo, 'HEAD');
  const args = ['update-ref', '--no-deref', ref, head, '0'.repeat(head.length)];
  await gitOnRefs(repository, { args, codes: [0, 128] });
  return kept(); // Somebody else may have been first.
}
