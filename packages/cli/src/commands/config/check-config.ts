import { resolve } from 'node:path';
import { ForgeError, neutralise } from '@forge/core';
import type { CommandContext } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { type ReadSettings, readSettings } from '../../settings/read-settings.ts';

/** Says whether all settings are right, and what they name: every fault, each with its place. */
export async function checkConfig(
  { json = false, config: named }: { readonly json?: boolean; readonly config?: string },
  context: CommandContext,
): Promise<void> {
  const { cwd, endWith } = context;
  const terminal = context.terminal();
  const file = named === undefined ? undefined : resolve(cwd, named);
  const { read, faults } = await look(context, file);
  if (faults.length > 0) endWith(exitCodes.failed);
  if (json) {
    const { files = [], notices = [] } = read ?? {};
    terminal.out(JSON.stringify({ valid: faults.length === 0, files, notices, faults }));
    return;
  }
  for (const fault of faults) terminal.err(neutralise(fault));
  if (read === undefined || faults.length > 0) return;
  const { files } = read;
  const where = files.length === 0 ? 'There is no file: defaults hold.' : files.join('\n');
  terminal.out(`${terminal.style('green', 'Every setting is right.')}\n${where}`);
}

async function look(
  context: CommandContext,
  file: string | undefined,
): Promise<{ readonly read?: ReadSettings; readonly faults: readonly string[] }> {
  const { cwd, config } = context;
  try {
    const read = readSettings({ cwd, config, ...(file !== undefined && { file }) });
    const { checkWork } = await import('./check-work.ts');
    return { read, faults: await checkWork(read, { context, file }) };
  } catch (error) {
    if (!ForgeError.is(error, 'invalid_options')) throw error;
    return { faults: error.message.split('\n') };
  }
}
