import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, fail, ok, warn } from './finding.ts';

const run = promisify(execFile);
const patience = 30_000;
const neededNode = 24;
/** `git merge-tree --write-tree` came with it. */
const neededGit = [2, 38] as const;

/** The programs Forge calls on this machine. */
export async function lookAtPrograms(signal: AbortSignal): Promise<readonly Finding[]> {
  return [node(process.versions.node), ...(await Promise.all([git(signal), ripgrep(signal)]))];
}

export function node(version: string): Finding {
  return Number.parseInt(version, 10) >= neededNode
    ? ok('node', version)
    : fail('node', `${version} is too old`, `Install Node ${neededNode} or newer.`);
}

async function git(signal: AbortSignal): Promise<Finding> {
  const said = await versionOf('git', signal);
  if (said === undefined) return fail('git', 'is not there', 'Install git 2.38 or newer.');
  return gitFinding(said);
}

/** Of what `git --version` says. */
export function gitFinding(said: string): Finding {
  const [version, major, minor] = /(\d+)\.(\d+)[\w.]*/.exec(said) ?? [];
  if (version === undefined) {
    return warn('git', 'does not say its version', 'It has to be 2.38 or newer.');
  }
  const [needed, neededMinor] = neededGit;
  const isNew =
    Number(major) > needed || (Number(major) === needed && Number(minor) >= neededMinor);
  return isNew
    ? ok('git', version)
    : fail('git', `${version} is too old`, 'Install git 2.38 or newer: merges need it.');
}

async function ripgrep(signal: AbortSignal): Promise<Finding> {
  const said = await versionOf('rg', signal);
  const version = /ripgrep ([\w.-]+)/.exec(said ?? '')?.[1];
  return version === undefined
    ? warn(
        'ripgrep',
        'is not there',
        'Install ripgrep: the search tool wants it in process sandboxes.',
      )
    : ok('ripgrep', version);
}

/** The first line of `--version`; undefined where the program is not there or does not answer. */
async function versionOf(program: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { stdout } = await run(program, ['--version'], { signal, timeout: patience });
    return stdout.split('\n', 1)[0];
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
