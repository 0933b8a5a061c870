import { ForgeError } from '@forge/core';
import type { BackendName, SandboxBackend } from './sandbox.ts';

/** Makes a backend; called only for one that is tried. */
export type MakeBackend = () => Promise<SandboxBackend> | SandboxBackend;

/** The backends there are to choose from. */
export type BackendMakers = Readonly<Partial<Record<BackendName, MakeBackend>>>;

/** Tried in this order. Plain processes are no sandbox: nobody gets them without asking. */
const automatic = ['docker', 'bubblewrap'] as const;

/**
 * The backend of that name, or for `auto` the first of docker and bubblewrap that works here.
 * `invalid_options` for a name there is none of, `sandbox_failed` with what to do if it does not
 * work here. What is not chosen is closed.
 *
 * @example
 * const backend = await chooseBackend('auto', {
 *   docker: () => createDockerBackend(),
 *   bubblewrap: () => createBubblewrapBackend(),
 *   process: () => createProcessBackend({ trusted: true }),
 * });
 */
export async function chooseBackend(
  name: string,
  makers: BackendMakers,
  signal?: AbortSignal,
): Promise<SandboxBackend> {
  const makeOf = new Map<string, MakeBackend>(Object.entries(makers));
  const tried = name === 'auto' ? automatic.filter((each) => makeOf.has(each)) : [name];
  const problems: string[] = [];
  for (const each of tried) {
    const make = makeOf.get(each);
    if (make === undefined) {
      throw new ForgeError(
        'invalid_options',
        `There is no sandbox "${name}". There are: ${['auto', ...makeOf.keys()].join(', ')}.`,
      );
    }
    const backend = await make();
    const probe = await probed(backend, signal);
    if (probe.available) return backend;
    await backend.close();
    problems.push(`${each}: ${probe.problem} ${probe.fix}`);
  }
  const asked =
    name === 'auto'
      ? '\nIf you trust all that will run, choose "process" by name: it is no sandbox.'
      : '';
  throw new ForgeError('sandbox_failed', `No sandbox works here.\n${problems.join('\n')}${asked}`);
}

async function probed(backend: SandboxBackend, signal: AbortSignal | undefined) {
  try {
    return await backend.probe(signal);
  } catch (error) {
    await backend.close();
    throw error;
  }
}
