import type { Sandbox, SandboxBackend, SandboxLimits, SandboxOptions } from '../../src/sandbox.ts';
import type { HostPlants } from './host-plants.ts';

/** Small, so that what runs into them does so soon. */
export const stageLimits: Partial<SandboxLimits> = {
  cpus: 1,
  memoryBytes: 192 * 1024 * 1024,
  pids: 64,
  diskBytes: 24 * 1024 * 1024,
  outputBytes: 1024 * 1024,
  timeMs: 600_000,
};

/** A backend to be attacked. */
export interface Target {
  readonly backend: SandboxBackend;
  /** Ends what was started for it; the backend is closed before. */
  close(): Promise<void>;
}

/** What a case is given. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly host: HostPlants;
}

export function startOn({ backend }: Target, options: SandboxOptions = {}): Promise<Sandbox> {
  return backend.start({ ...options, limits: { ...stageLimits, ...options.limits } });
}
