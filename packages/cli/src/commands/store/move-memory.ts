import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import { exportMemory, importFacts, importMemory, type Memory } from '@forge/store';
import type { CommandContext } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { printable } from '../../printable.ts';
import { findRun } from '../../runs/find-run.ts';
import { withWorkshop } from '../../runs/with-workshop.ts';
import { counted } from '../../runs/words.ts';

/** `forge store export-memory`, once its flags are read. */
export async function saveMemory(
  context: CommandContext,
  {
    id,
    to,
    scope,
    last,
    json = false,
  }: {
    readonly id: string;
    readonly to: string;
    readonly scope?: string;
    readonly last: number;
    readonly json?: boolean;
  },
): Promise<void> {
  await withWorkshop(context, {}, async ({ store }) => {
    const run = await findRun(store, id);
    const file = resolve(context.cwd, to);
    await exportMemory({
      ...{ store, runId: run.id, file, last },
      ...(scope !== undefined && { scope }),
    });
    context.terminal().out(json ? JSON.stringify({ runId: run.id, file }) : file);
  });
}

const shown = 20;
const mostBytes = 100 * 1024 ** 2;

/** `forge store import-memory`, once its flags are read. It ends with 1 where a fact was refused. */
export async function loadMemory(
  context: CommandContext,
  {
    file,
    scope,
    json = false,
  }: { readonly file: string; readonly scope: string; readonly json?: boolean },
): Promise<void> {
  const path = resolve(context.cwd, file);
  const memory = await readMemory(path);
  await withWorkshop(context, {}, async ({ store }) => {
    const terminal = context.terminal();
    const source = basename(path).slice(0, 200);
    const { facts, messages } = memory;
    const { remembered, refused } = await importFacts({ store, scope, facts, source });
    if (refused.length > 0) context.endWith(exitCodes.failed);
    if (json) {
      terminal.out(JSON.stringify({ remembered, refused, messages: messages.length }));
      return;
    }
    terminal.out(`${counted(remembered, 'fact')} remembered in ${printable(scope)}.`);
    for (const { key, reason } of refused.slice(0, shown)) {
      terminal.err(`${printable(key, 80)}: ${printable(reason, 500)}`);
    }
    if (refused.length > shown) terminal.err(`… and ${refused.length - shown} more.`);
    if (messages.length > 0) terminal.err(`${counted(messages.length, 'message')} left out.`);
  });
}

/** `importMemory` puts a damaged file aside. This one is the user's, who may have named a wrong one. */
async function readMemory(path: string): Promise<Memory> {
  const about = await stat(path).catch(() => undefined);
  if (about?.isFile() !== true) throw new ForgeError('not_found', `There is no file ${path}.`);
  if (about.size > mostBytes) {
    throw new ForgeError('too_large', `${path} is too large for a memory: over 100 MiB.`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'forge-memory-'));
  try {
    const copy = join(folder, 'memory.json');
    await copyFile(path, copy);
    const { memory, setAside } = await importMemory(copy);
    if (setAside === undefined) return memory;
    throw new ForgeError(
      'invalid_options',
      `${path} is no memory.json: it takes {"messages": […], "facts": {…}}.`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
