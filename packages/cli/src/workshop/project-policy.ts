import type { Tool } from '@forge/core';
import { applyPolicy, callViews, toolAliases } from '@forge/tools';
import type { Policy } from '@forge/tools/policy';
import type { Settings } from '../settings/settings-schema.ts';

/** What the project says of tools, put onto them: its rules, and the limits under `runtime`. */
export function projectPolicy(settings: Settings): (tools: readonly Tool[]) => readonly Tool[] {
  const { max_shell_commands: most, allowed_shell_commands: allowed } = settings.runtime;
  const policy: Policy = {
    ...settings.tools,
    ...(most !== undefined && { budgets: { shell: most, ...settings.tools?.budgets } }),
    ...(allowed !== undefined && settings.tools?.commands === undefined && { commands: allowed }),
  };
  return (tools) => applyPolicy([...tools], policy, { aliases: toolAliases, viewsOf: callViews });
}
