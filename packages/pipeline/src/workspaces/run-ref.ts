import { ForgeError } from '@forge/core';

/** Where the trees of runs are kept, beside branches and tags. */
export const runRefs = 'refs/forge/runs/';

/** Most of a name that is one file on every file system. */
const partChars = 200;

/** The ref of a run's tree. Different runs have different refs, whatever is in their ids. */
export function runRef(runId: string): string {
  if (runId === '') throw new ForgeError('invalid_options', 'A run has an id.');
  const plain = encodeURIComponent(runId.toWellFormed())
    .replaceAll(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    // Git allows points, but not at an end, in a row, or as the end of a lock's name.
    .replaceAll(/^\.|\.(?=\.|$|lock$)/g, '%2E');
  if (plain.length <= partChars) return `${runRefs}${plain}`;
  const parts = plain.replaceAll('.', '%2E').match(new RegExp(`.{1,${partChars}}`, 'g')) ?? [];
  return `${runRefs}${parts.join('+/')}`;
}

/** Where a run's first commit is kept that names none. */
export function startRef(runId: string): string {
  return `refs/forge/starts/${runRef(runId).slice(runRefs.length)}`;
}

/** The run of a ref; undefined if it is none of ours. */
export function runOfRef(ref: string): string | undefined {
  if (!ref.startsWith(runRefs)) return undefined;
  try {
    const id = decodeURIComponent(ref.slice(runRefs.length).replaceAll('+/', ''));
    return runRef(id) === ref ? id : undefined;
  } catch {
    return undefined; // Not written by us.
  }
}
