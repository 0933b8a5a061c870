import type { OrchestratorPolicy } from '../../orchestrator/policy.ts';
import { startOrchestrator } from '../../orchestrator/start-orchestrator.ts';
import type { SandboxBackend } from '../../sandbox.ts';
import { createRemoteBackend } from '../create-remote-backend.ts';

export const testToken = 'a token that only tests know';

/** A backend seen through an orchestrator of its own. Closing it closes all three. */
export async function backendThrough(
  backend: SandboxBackend,
  policy: Partial<OrchestratorPolicy> = {},
): Promise<SandboxBackend> {
  const orchestrator = await startOrchestrator({
    backend,
    listen: '127.0.0.1:0',
    token: testToken,
    policy: { networks: ['none', 'allow', 'full'], caches: true, ...policy },
  });
  const remote = createRemoteBackend({ address: orchestrator.address, token: testToken });
  return {
    ...remote,
    close: async () => {
      await remote.close();
      await orchestrator.close();
      await backend.close();
    },
  };
}
