import { gitOnRefs, openRepository } from '@forge/sandbox';
import { runRef } from './run-ref.ts';

/** What stands in the reflog at each kept tree: when, to the millisecond, and after what. */
export function reflogNote(at: number, words: string): string {
  return `@${at} ${words}`;
}

const note = /^([0-9a-f]{40,64}) @(\d+) /;

/**
 * Gives a forked run the tree its origin had at that time, so that its files are those its log speaks
 * of. Gives the commit; undefined if nothing had been kept by then, and it begins where the origin did.
 */
export async function forkTree(options: {
  /** A folder of the repository. */
  readonly repo: string;
  readonly from: string;
  readonly to: string;
  /** Of the last event they share, in milliseconds since 1970. */
  readonly at: number;
  readonly signal?: AbortSignal;
}): Promise<string | undefined> {
  const { from, to, at, signal } = options;
  const repository = await openRepository(options.repo, signal);
  const read = ['reflog', 'show', '--format=%H %gs', runRef(from)];
  const { output, code } = await gitOnRefs(repository, { args: read, codes: [0, 128], signal });
  if (code !== 0) return undefined;
  // The newest is first.
  const kept = output
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [, commit, time] = note.exec(line) ?? [];
      return commit !== undefined && Number(time) <= at ? [commit] : [];
    });
  const [commit] = kept;
  if (commit === undefined) return undefined;
  const args = [
    'update-ref',
    '--no-deref',
    '--create-reflog',
    '-m',
    reflogNote(at, `Fork of ${from}`),
  ];
  await gitOnRefs(repository, { args: [...args, runRef(to), commit], signal });
  return commit;
}
