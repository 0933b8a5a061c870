import type { Agent, Tool } from '@forge/core';
import * as z from 'zod';
import type { Plugin } from './plugin.ts';

/** Made by `defineTool` of any copy of the core: known by what it can do. */
const tool = z.custom<Tool>(
  (value) =>
    isRecord(value) &&
    isRecord(value.spec) &&
    typeof value.spec.name === 'string' &&
    isRecord(value.schema) &&
    typeof value.needsApproval === 'function' &&
    typeof value.refine === 'function',
  'must be a tool made by defineTool',
);

const agent = z.custom<Agent>(
  (value) => isRecord(value) && typeof value.name === 'string' && isRecord(value.guard),
  'must be an agent made by defineAgent',
);

const pluginSchema = z.strictObject({
  tools: z.array(tool).default([]),
  agents: z.array(agent).default([]),
  prompts: z.record(z.string(), z.string().max(1_000_000)).default({}),
  targets: z.record(z.string(), z.unknown()).default({}),
});

/** What a module exports as `plugin`, checked. */
export function readPlugin(module: unknown): Required<Plugin> {
  if (!isRecord(module) || module.plugin === undefined) {
    throw new Error(
      'Its module exports no "plugin". Write: export const plugin = definePlugin({ … }).',
    );
  }
  const parsed = pluginSchema.safeParse(module.plugin);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(
      `Its plugin is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`,
    );
  }
  const names = parsed.data.tools.map(({ spec }) => spec.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new Error(`It has two tools named "${twice}".`);
  return parsed.data;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
