import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { readEnvironment } from '../config.ts';
import type { BackendPlace } from './backend-options.ts';
import { processIdentitySchema } from './process-identity.ts';

/** What is known about a backend. One file each, written by its keeper. */
export const backendStateSchema = z.object({
  v: z.literal(1),
  id: z.string(),
  kind: z.enum(['llamaserver', 'llamafile', 'ollama', 'vllm']),
  fingerprint: z.string(),
  /** `starting`: for the first time. `restarting`: it was ready before and died. */
  phase: z.enum(['starting', 'ready', 'restarting', 'failed', 'stopped']),
  /** The process that looks after the server. */
  keeper: processIdentitySchema,
  /** The server itself, which leads a process group of its own. */
  server: processIdentitySchema.optional(),
  url: z.string(),
  port: z.number(),
  model: z.string().optional(),
  command: z.array(z.string()),
  startedAt: z.number(),
  restarts: z.number(),
  contextLength: z.number().optional(),
  /** Why it failed, for a person. */
  failure: z.string().optional(),
  stopGrace: z.number(),
});
export type BackendState = z.infer<typeof backendStateSchema>;

export const stateFile = 'state.json';
export const logFile = 'server.log';

/** The folder of all backends: the user's state folder by the XDG rules. */
export function backendsFolder({
  stateFolder,
  readVariable = readEnvironment,
}: BackendPlace): string {
  if (stateFolder !== undefined) return stateFolder;
  const state = readVariable('XDG_STATE_HOME') ?? join(homedir(), '.local', 'state');
  return join(state, 'forge', 'backends');
}

/** Undefined where there is none, or one this version cannot read: it is as good as none. */
export function readState(folder: string): BackendState | undefined {
  try {
    const text = readFileSync(join(folder, stateFile), 'utf8');
    return backendStateSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Readers see the old state or the new one, never half of it. */
export function writeJson(folder: string, name: string, value: unknown) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = join(folder, `${name}.${randomUUID()}.draft`);
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, join(folder, name));
}

export function listStates(place: BackendPlace): { folder: string; state: BackendState }[] {
  const parent = backendsFolder(place);
  let names: string[];
  try {
    names = readdirSync(parent).sort();
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const folder = join(parent, name);
    const state = readState(folder);
    return state === undefined ? [] : [{ folder, state }];
  });
}
