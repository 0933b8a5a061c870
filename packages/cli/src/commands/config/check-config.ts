import { ForgeError } from '@forge/core';
import type { CommandContext } from '../../context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { readSettings } from '../../settings/read-settings.ts';

/** Says whether all settings are right: every fault, each with its place. */
export function checkConfig(
  { json = false, config: file }: { readonly json?: boolean; readonly config?: string },
  { terminal: getTerminal, cwd, config, endWith }: CommandContext,
): void {
  const terminal = getTerminal();
  try {
    const { files, notices } = readSettings({ cwd, config, ...(file !== undefined && { file }) });
    if (json) {
      terminal.out(JSON.stringify({ valid: true, files, notices, faults: [] }));
      return;
    }
    for (const notice of notices) terminal.err(terminal.style('yellow', notice));
    const where = files.length === 0 ? 'There is no file: defaults hold.' : files.join('\n');
    terminal.out(`${terminal.style('green', 'Every setting is right.')}\n${where}`);
  } catch (error) {
    if (!ForgeError.is(error, 'invalid_options')) throw error;
    const faults = error.message.split('\n');
    endWith(exitCodes.failed);
    if (json) terminal.out(JSON.stringify({ valid: false, faults }));
    else for (const fault of faults) terminal.err(fault);
  }
}
