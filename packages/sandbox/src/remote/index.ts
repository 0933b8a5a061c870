export { createRemoteBackend, type RemoteBackendOptions } from './create-remote-backend.ts';
export type { OrchestratorAddress } from './orchestrator-client.ts';
