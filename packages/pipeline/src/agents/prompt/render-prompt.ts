import { ForgeError, type Tool } from '@forge/core';
import { describeSandbox, type SandboxFacts } from './describe-sandbox.ts';
import { describeTools } from './describe-tools.ts';
import type { Prompt } from './parse-prompt.ts';

export interface PromptSections {
  readonly tools: readonly Tool[];
  readonly sandbox?: SandboxFacts | undefined;
  /** As `projectRules` gives them. */
  readonly rules?: string | undefined;
  /** What a profile says about the work. */
  readonly scope?: string | undefined;
  /** What plugins have to say, by name. */
  readonly extensions?: Readonly<Record<string, string>> | undefined;
}

/**
 * The instructions as a model sees them. Each `{{name}}` is filled in; sections that the prompt
 * has no place for come at its end, so that a prompt of one's own loses nothing. What is filled in
 * is not looked through for places again.
 */
export function renderPrompt(prompt: Prompt, sections: PromptSections): string {
  const filled: Readonly<Record<string, string>> = {
    tools: describeTools(sections.tools),
    sandbox: sections.sandbox === undefined ? '' : describeSandbox(sections.sandbox),
    rules: sections.rules ?? '',
    scope: titled('## Profile Scope', sections.scope),
    extensions: titled('## Extension Prompts', extensionsOf(sections.extensions)),
  };
  const placed = new Set<string>(['tools']); // The model gets those with every request anyway.
  const body = prompt.body.replace(/\{\{ *([a-z_]{1,40}) *\}\}/g, (_, name: string) => {
    const text = Object.hasOwn(filled, name) ? filled[name] : undefined;
    if (text === undefined) throw unknownPlace(prompt, name, Object.keys(filled));
    placed.add(name);
    return text;
  });
  const rest = Object.entries(filled).flatMap(([name, text]) =>
    placed.has(name) || text === '' ? [] : [text],
  );
  return [body, ...rest]
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function titled(title: string, text: string | undefined): string {
  const words = text?.trim() ?? '';
  return words === '' ? '' : `${title}\n\n${words}`;
}

function extensionsOf(extensions: Readonly<Record<string, string>> = {}): string {
  return Object.entries(extensions)
    .filter(([, text]) => text.trim() !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `### ${name}\n\n${text.trim()}`)
    .join('\n\n');
}

function unknownPlace({ origin, name }: Prompt, place: string, known: readonly string[]) {
  return new ForgeError(
    'invalid_options',
    `The prompt of ${name} (${origin}) has a place {{${place}}} that nothing fills. Known: ${known.map((each) => `{{${each}}}`).join(', ')}.`,
  );
}
