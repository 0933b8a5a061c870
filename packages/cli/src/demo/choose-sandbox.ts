import { ForgeError, messageOf } from '@forge/core';
import type { SandboxBackend } from '@forge/sandbox';

/** Where the demo's commands run, and how `node` is called there. */
export interface SandboxChoice {
  readonly backend: string;
  /** A word for a shell. */
  readonly node: string;
  /** Why it is none of those that were tried before. */
  readonly problems: readonly string[];
}

/** Those that hold, the quicker one first. */
const holding = ['bubblewrap', 'docker'] as const;
const neededMajor = 20;
const patienceMs = 20_000;

/**
 * The first backend in which node and git are found. Plain processes are taken last: the commands of
 * the demo are known, so that they may be trusted.
 */
export async function chooseSandbox({
  wanted = 'auto',
  makers,
  ownNode,
  signal,
}: {
  readonly wanted?: string | undefined;
  readonly makers: Readonly<Record<string, () => SandboxBackend>>;
  /** The node that runs this, for plain processes that find none. */
  readonly ownNode: string;
  readonly signal: AbortSignal;
}): Promise<SandboxChoice> {
  const problems: string[] = [];
  const tried = wanted === 'auto' ? [...holding, 'process'] : [wanted];
  for (const backend of tried) {
    const make = makers[backend];
    if (make === undefined) continue;
    const candidates = backend === 'process' ? ['node', quoted(ownNode)] : ['node'];
    const found = await tryBackend(make(), candidates, signal);
    if ('node' in found) return { backend, node: found.node, problems };
    problems.push(`${backend}: ${found.problem.replace(`${backend}: `, '')}`);
  }
  throw new ForgeError(
    'sandbox_failed',
    `The demo finds no place to run its commands.\n${problems.join('\n')}\nnode ${neededMajor} or newer and git have to be there.`,
  );
}

type Found = { readonly node: string } | { readonly problem: string };

async function tryBackend(
  backend: SandboxBackend,
  candidates: readonly string[],
  signal: AbortSignal,
): Promise<Found> {
  try {
    const probe = await backend.probe(signal);
    if (!probe.available) return { problem: `${probe.problem} ${probe.fix}` };
    const sandbox = await backend.start();
    try {
      for (const node of candidates) {
        const { exitCode, stdout } = await sandbox.exec(
          { argv: ['sh', '-c', `git --version >&2 && ${node} --version`], timeoutMs: patienceMs },
          { signal },
        ).result;
        const [, major = '0'] = /^v(\d+)\./.exec(new TextDecoder().decode(stdout)) ?? [];
        if (exitCode === 0 && Number(major) >= neededMajor) return { node };
      }
      return { problem: `node ${neededMajor} or newer, or git, is not in it.` };
    } finally {
      await sandbox.stop();
    }
  } catch (error) {
    signal.throwIfAborted();
    return { problem: messageOf(error) };
  } finally {
    await backend.close();
  }
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
