import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fateOf,
  identifyProcess,
  type ProcessIdentity,
  processesMarked,
  signalProcess,
} from '@forge/sandbox/owner';
import * as z from 'zod';
import { writePrivateFile } from '../stored/write-private-file.ts';

const identitySchema = z.object({
  pid: z.int().positive(),
  started: z.string(),
  space: z.string(),
});
const entrySchema = z.object({
  v: z.literal(1),
  owner: identitySchema,
  mark: z.uuid(),
  groups: z.array(identitySchema),
});
type Entry = z.infer<typeof entrySchema>;

/** In the environment of every process we start, and so of all that those start. */
const markName = 'FORGE_MCP_OWNER';
const killRounds = 3;

/**
 * That this process starts others, on disk before it does: if it is killed without warning, the
 * next one to open the ledger ends what was left running.
 */
export interface ProcessLedger {
  /** Called before a child is started. */
  admit(): Admission;
  close(): Promise<void>;
}

/** One child and its descendants. */
export interface Admission {
  /** To be set in the child's environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Notes the child, which leads a process group: it may be one that wipes its environment. */
  began(pid: number): Promise<void>;
  /** Kills what is still there of it, also what moved to a session of its own. */
  endLeftovers(): void;
}

/** Opens a ledger in a folder that is shared with other processes, and first reaps there. */
export async function openLedger(folder: string): Promise<ProcessLedger> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await reapLeftovers(folder);
  const owner = identifyProcess(process.pid);
  const mark = randomUUID();
  const path = join(folder, `${mark}.json`);
  let groups: ProcessIdentity[] = [];
  // Who cannot say which process it is writes nothing: nobody could tell that it is dead.
  const write = async () => {
    if (owner === undefined) return;
    await writePrivateFile(path, JSON.stringify({ v: 1, owner, mark, groups } satisfies Entry));
  };
  let writing = write();
  await writing;
  let children = 0;
  // For an exit nobody announced: no time is left to ask anyone.
  const onExit = () => {
    killGroups(groups);
    killMarked(`${markName}=${mark}/`);
  };
  process.once('exit', onExit);
  return {
    admit() {
      const value = `${mark}/${children++}`;
      return {
        environment: { [markName]: value },
        began(pid) {
          const identity = identifyProcess(pid);
          if (identity === undefined) return Promise.resolve();
          groups = [...groups.filter(isAlive), identity];
          writing = writing.catch(() => {}).then(write);
          return writing;
        },
        endLeftovers: () => void killMarked(`${markName}=${value}\0`),
      };
    },
    async close() {
      process.removeListener('exit', onExit);
      await writing.catch(() => {});
      await rm(path, { force: true });
    },
  };
}

/**
 * Ends what owners who are no more have left running; returns how many processes and groups. Needs
 * /proc: where there is none nothing can be told apart safely, and nothing is killed.
 */
export async function reapLeftovers(folder: string): Promise<number> {
  let reaped = 0;
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.json')) continue;
    const path = join(folder, name);
    const entry = await readEntry(path);
    if (entry === undefined || fateOf(entry.owner) !== 'dead') continue;
    reaped += killGroups(entry.groups) + killMarked(`${markName}=${entry.mark}/`);
    await rm(path, { force: true });
  }
  return reaped;
}

async function readEntry(path: string): Promise<Entry | undefined> {
  try {
    return entrySchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** In several rounds: what was being started during one is seen by the next. */
function killMarked(text: string): number {
  const killed = new Set<number>();
  for (let round = 0; round < killRounds; round++) {
    const found = processesMarked(text);
    if (found.length === 0) break;
    for (const pid of found) if (signalProcess(pid, 'SIGKILL')) killed.add(pid);
  }
  return killed.size;
}

function killGroups(groups: readonly ProcessIdentity[]): number {
  return groups.filter((group) => isAlive(group) && signalProcess(-group.pid, 'SIGKILL')).length;
}

function isAlive(identity: ProcessIdentity): boolean {
  return fateOf(identity) === 'alive';
}
