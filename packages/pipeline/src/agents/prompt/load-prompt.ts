import { readFile } from 'node:fs/promises';
import { ForgeError } from '@forge/core';
import { type Prompt, parsePrompt } from './parse-prompt.ts';
import type { ProjectFiles } from './project-files.ts';

const ownPrompts = new URL('../../../prompts/', import.meta.url);

/** Agents whose instructions come with Forge. */
export const promptNames = ['planner', 'coder', 'reviewer', 'deployer', 'verifier'] as const;

export interface LoadPromptOptions {
  readonly name: string;
  readonly project?: ProjectFiles | undefined;
  /** A file of the project that the configuration names. It has to be there. */
  readonly file?: string | undefined;
  /** The words a plugin puts in the place of ours. */
  readonly plugin?: string | undefined;
}

/**
 * The instructions of an agent: those the configuration names, else `.forge/prompts/<name>.md` of
 * the project, else a plugin's, else those that come with Forge.
 *
 * @example
 * const prompt = await loadPrompt({ name: 'coder', project: folderFiles('.') });
 */
export async function loadPrompt(options: LoadPromptOptions): Promise<Prompt> {
  const { name, project, file, plugin } = options;
  if (file !== undefined) {
    const text = await ofProject(project, file);
    if (text !== undefined) return parsePrompt({ name, text, origin: file });
    throw new ForgeError(
      'not_found',
      `The prompt of agent "${name}" is to be in ${file}, which is not there. Write it, or leave agents.${name}.prompt out.`,
    );
  }
  const path = `.forge/prompts/${name}.md`;
  const own = await ofProject(project, path);
  if (own !== undefined) return parsePrompt({ name, text: own, origin: path });
  if (plugin !== undefined) return parsePrompt({ name, text: plugin, origin: 'a plugin' });
  return parsePrompt({ name, text: await builtin(name), origin: 'Forge' });
}

async function ofProject(
  project: ProjectFiles | undefined,
  path: string,
): Promise<string | undefined> {
  const found = await project?.read(path);
  if (found === undefined) return undefined;
  if (!found.cut) return found.text;
  throw new ForgeError('too_large', `${path} is too long for instructions. Keep it under 64 KB.`);
}

async function builtin(name: string): Promise<string> {
  if ((promptNames as readonly string[]).includes(name)) {
    return readFile(new URL(`${name}.md`, ownPrompts), 'utf8');
  }
  throw new ForgeError(
    'not_found',
    `There are no instructions for agent "${name}". Write .forge/prompts/${name}.md, or name a file in agents.${name}.prompt.`,
  );
}
