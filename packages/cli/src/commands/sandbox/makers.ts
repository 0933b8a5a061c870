import type { SandboxBackend } from '@forge/sandbox';

/** The backends of this machine, by name, in the order a person looks at them. */
export async function makers(): Promise<Readonly<Record<string, () => SandboxBackend>>> {
  const {
    createBubblewrapBackend,
    createDockerBackend,
    createMemoryBackend,
    createProcessBackend,
  } = await import('@forge/sandbox');
  return {
    docker: () => createDockerBackend(),
    bubblewrap: () => createBubblewrapBackend(),
    process: () => createProcessBackend({ trusted: true }),
    memory: () => createMemoryBackend(),
  };
}
