import { ForgeError } from '@forge/core';
import * as z from 'zod';

/** A way of working that a coding agent can be sent off with. */
export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** What the agent is to keep to; becomes a section of its prompt. */
  readonly promptScope?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly maxIterations?: number;
  readonly capabilities: readonly string[];
  /** Its file, or `built-in`. */
  readonly origin: string;
}

const text = z.string().trim().min(1);

const profileSchema = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, ".", "_" and "-"'),
  name: text.max(200),
  description: z.string().max(4_000).nullish(),
  prompt_scope: z
    .string()
    .max(64 * 1024)
    .nullish(),
  llm_provider: text.max(100).nullish(),
  llm_model: text.max(500).nullish(),
  max_iterations: z.int().min(1).max(10_000).nullish(),
  capabilities: z.array(text.max(200)).max(100).nullish(),
});

/** A profile from a file's content; an error names the file and the key. */
export function readProfile(value: unknown, origin: string): Profile {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ForgeError(
      'invalid_options',
      `${origin} is not a profile: it has to be a mapping with id and name.`,
    );
  }
  const { success, data, error } = profileSchema.safeParse(value);
  if (!success) {
    throw new ForgeError(
      'invalid_options',
      `${origin} is not a profile: ${z.prettifyError(error)}`,
    );
  }
  return {
    id: data.id,
    name: data.name,
    capabilities: data.capabilities ?? [],
    origin,
    ...present('description', data.description),
    ...present('promptScope', data.prompt_scope),
    ...present('provider', data.llm_provider),
    ...present('model', data.llm_model),
    ...present('maxIterations', data.max_iterations),
  };
}

function present<K extends string, V>(key: K, value: V | null | undefined): { [P in K]?: V } {
  return value === null || value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

export const builtinProfiles: readonly Profile[] = [
  {
    id: 'gemini',
    name: 'Gemini',
    description: 'Gemini 2.5 Pro with room for longer work.',
    provider: 'gemini',
    model: 'gemini-2.5-pro',
    maxIterations: 30,
    capabilities: [],
    origin: 'built-in',
  },
  {
    id: 'openai',
    name: 'OpenAI',
    description: 'GPT-4o with room for longer work.',
    provider: 'openai',
    model: 'gpt-4o',
    maxIterations: 30,
    capabilities: [],
    origin: 'built-in',
  },
  {
    id: 'thorough',
    name: 'Thorough',
    description: 'Looks longer before it acts, and checks more.',
    promptScope:
      'Be thorough. Read the code around what you change and its callers before you change it. Write tests for the edge cases, not only for the usual one. Run the checks after every step, not only at the end. Before you finish, read your own diff as a strict reviewer would.',
    maxIterations: 50,
    capabilities: [],
    origin: 'built-in',
  },
];
