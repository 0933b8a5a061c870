import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { deployFailed } from '../deploy-failed.ts';
import { readJson } from '../files/read-json.ts';
import { writeJson } from '../files/write-json.ts';
import { healthConfigSchema } from '../health/health-check.ts';
import { markVariable } from './process-group.ts';

export const identitySchema = z.object({
  pid: z.int().positive(),
  started: z.string(),
  space: z.string(),
});

/** Who runs a release: the keeper itself, or somebody else who made it listen on a port of this machine. */
export const runnerSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('process'),
    command: z.array(z.string()).min(1),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
  }),
  z.object({ type: z.literal('address'), port: z.int().min(1).max(65_535) }),
]);

/** All that is needed to run a release, now and again. */
export const releaseSpecSchema = z.object({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,99}$/),
  runner: runnerSchema,
  health: healthConfigSchema,
  stopGraceMs: z.number().nonnegative(),
  restarts: z.object({ attempts: z.int().nonnegative(), firstDelayMs: z.number().positive() }),
});
export type ReleaseSpec = z.infer<typeof releaseSpecSchema>;

export const releaseRecordSchema = z.object({
  spec: releaseSpecSchema,
  /** `starting`: it never had the traffic. `restarting`: it had, and died. */
  phase: z.enum(['starting', 'running', 'restarting', 'crash_loop', 'stopped']),
  port: z.int(),
  process: identitySchema.optional(),
  restarts: z.int(),
  /** Why it is not running, for a person. */
  failure: z.string().optional(),
});
export type ReleaseRecord = z.infer<typeof releaseRecordSchema>;

/** What a keeper has to do, and did. Its next one goes on from here. */
export const keeperStateSchema = z.object({
  v: z.literal(1),
  /** In the environment of everything it starts, so that the next keeper finds what is left. */
  mark: z.string(),
  keeper: identitySchema.optional(),
  host: z.string(),
  /** 0: none was chosen yet. */
  port: z.int(),
  live: z.string().optional(),
  previous: z.string().optional(),
  releases: z.record(z.string(), releaseRecordSchema),
});
export type KeeperState = z.infer<typeof keeperStateSchema>;

/** What a keeper ends with that found another one. */
export const lockedCode = 3;

export const keeperFiles = (folder: string) => ({
  state: join(folder, 'keeper.json'),
  lock: join(folder, 'keeper.lock'),
  socket: join(folder, 'control.sock'),
  log: join(folder, 'keeper.log'),
  logs: join(folder, 'logs'),
  releaseLog: (id: string) => join(folder, 'logs', `${id}.log`),
});

/**
 * Undefined where there is none. One that cannot be read is an error, never as good as none: what it
 * speaks of may run, and would be forgotten.
 */
export function readKeeperState(folder: string): KeeperState | undefined {
  const { state: path } = keeperFiles(folder);
  const state = readJson(path, keeperStateSchema);
  if (state !== undefined || !existsSync(path)) return state;
  throw deployFailed(
    `${path} cannot be read: it is damaged, or of another version of Forge. Use that version, or end the processes with ${markVariable} in their environment and remove the folder.`,
  );
}

export function writeKeeperState(folder: string, state: KeeperState): void {
  writeJson(keeperFiles(folder).state, state);
}

/** Those that have the traffic or are kept running. */
export function keptReleases(folder: string): string[] {
  const { live, previous } = readKeeperState(folder) ?? {};
  return [live, previous].filter((id) => id !== undefined);
}
