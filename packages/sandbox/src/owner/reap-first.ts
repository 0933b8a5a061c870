import type { SandboxBackend } from '../sandbox.ts';

/**
 * A backend whose first start also removes what dead processes left behind. It does so beside the
 * start, which waits for nothing; what cannot be removed now is left to the next one, or to `reap`,
 * which says why.
 */
export function reapFirst(backend: SandboxBackend): SandboxBackend {
  let reaping: Promise<unknown> | undefined;
  return {
    name: backend.name,
    probe: (signal) => backend.probe(signal),
    start: (options) => {
      reaping ??= backend.reap().catch(() => undefined);
      return backend.start(options);
    },
    list: () => backend.list(),
    reap: () => backend.reap(),
    close: async () => {
      // First what others wait for: a start under way would go on as long as the reaping does.
      try {
        await backend.close();
      } finally {
        await reaping;
      }
    },
  };
}
