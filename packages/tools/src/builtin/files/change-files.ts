import { createHash, randomBytes } from 'node:crypto';
import { ForgeError } from '@forge/core';
import type { ExecResult, Sandbox } from '@forge/sandbox';
import { explainRefusal, runConfined, startConfined } from '../inside/confined.ts';
import { QuotingError } from '../inside/quoting-error.ts';
import { endedBySelf, saidOf } from '../inside/run-inside.ts';
import { refuseGitFolder, workspacePath } from '../inside/workspace-path.ts';
import { commitScript, discardScript, stageScript } from './change-scripts.ts';

export interface FileChange {
  readonly path: string;
  /** Its new content; undefined takes the file away. */
  readonly content: Uint8Array | undefined;
  /** What it has to be at the moment of the change: anything, not there, or these very bytes. */
  readonly expected: 'any' | 'none' | Uint8Array;
  /** A file whose permissions a new one gets. */
  readonly like?: string;
}

/** Time to tidy up after a change that failed, whether or not the call was cancelled. */
const tidyMs = 10_000;

/**
 * Changes files of the workspace: all of them or, if one cannot be changed or is not what was
 * expected, none. Each is written beside its place and renamed over it. `seq_conflict` if a file is
 * not what was expected. A process killed in the middle leaves files named `.forge-…` behind.
 */
export async function changeFiles(
  { sandbox, changes }: { readonly sandbox: Sandbox; readonly changes: readonly FileChange[] },
  signal: AbortSignal,
): Promise<void> {
  const nonce = randomBytes(8).toString('hex');
  const staged = changes.map((change, index) => ({
    ...change,
    relative: workspacePath(change.path, sandbox.workspace),
    name: `.forge-${nonce}-${index}`,
  }));
  for (const { relative } of staged) refuseGitFolder(relative);
  const args = staged.flatMap(({ relative, content, name, expected, like = '' }) => [
    content === undefined ? 'drop' : 'put',
    relative,
    name,
    typeof expected === 'string' ? expected : createHash('sha256').update(expected).digest('hex'),
    like && workspacePath(like, sandbox.workspace),
  ]);
  try {
    for (const { path, content, name } of staged) {
      if (content !== undefined) await stage({ sandbox, path, content, name }, signal);
    }
    await commit({ sandbox, args }, signal);
  } catch (error) {
    await discard({ sandbox, args });
    throw error;
  }
}

/** Takes away what was staged, as far as that goes: a sandbox that is gone has nothing left. */
async function discard({
  sandbox,
  args,
}: {
  readonly sandbox: Sandbox;
  readonly args: readonly string[];
}): Promise<void> {
  if (sandbox.state() !== 'running') return;
  const script = { sandbox, path: '.', script: discardScript, args, timeoutMs: tidyMs };
  await startConfined(script, AbortSignal.timeout(tidyMs)).result;
}

async function stage(
  staged: {
    readonly sandbox: Sandbox;
    readonly path: string;
    readonly content: Uint8Array;
    readonly name: string;
  },
  signal: AbortSignal,
): Promise<void> {
  const { sandbox, path, content, name } = staged;
  const args = [name, String(content.length)];
  const result = await runConfined(
    { sandbox, path, script: stageScript, args, stdin: content },
    signal,
  );
  if (result.exitCode !== 0) throw unwritten(path, result);
}

async function commit(
  { sandbox, args }: { readonly sandbox: Sandbox; readonly args: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const script = { sandbox, path: '.', script: commitScript, args };
  const result = endedBySelf(await startConfined(script, signal).result, 'sh', signal);
  if (result.exitCode === 0) return;
  const path = new TextDecoder().decode(result.stdout).trimEnd().split('\n').at(-1) ?? '';
  if (result.exitCode === 93) {
    const isThere = args[args.indexOf(path) + 2] === 'none';
    throw new ForgeError(
      'seq_conflict',
      isThere
        ? `${JSON.stringify(path)} is there already. Nothing was changed.`
        : `${JSON.stringify(path)} changed in the meantime. Nothing was changed. Read it again first.`,
    );
  }
  explainRefusal({ ...script, path }, result);
  throw unwritten(path, result);
}

function unwritten(path: string, result: ExecResult): ForgeError {
  const quote = saidOf(result);
  const why = quote === '' ? ' The disk may be full.' : '';
  const said = `${JSON.stringify(path)} could not be written.${why}`;
  return new QuotingError('tool_failed', { said, quote });
}
