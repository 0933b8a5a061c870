import { createHash } from 'node:crypto';
import { ForgeError } from '@forge/core';

/** The instructions of an agent as they stand in a file. */
export interface Prompt {
  readonly name: string;
  /** Which wording this is: `coder@3f2a91c0`. Other words, another version. */
  readonly version: string;
  /** What the file itself calls its version, for people. */
  readonly edition?: string;
  readonly description?: string;
  /** With places for what is only known later, such as `{{tools}}`. */
  readonly body: string;
  /** Where it comes from, for people. */
  readonly origin: string;
}

/**
 * Reads a prompt: Markdown, with a head of `key: value` lines between `---` if it has one. The
 * version is of the words alone, so that the same words have the same version everywhere.
 */
export function parsePrompt({
  name,
  text,
  origin,
}: {
  readonly name: string;
  readonly text: string;
  readonly origin: string;
}): Prompt {
  const { head, body } = splitHead(text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'));
  const words = body.trim();
  if (words === '') {
    throw new ForgeError(
      'invalid_options',
      `${origin} has no instructions for ${name}. Write some below its head, or remove the file.`,
    );
  }
  const { version: edition, description } = head;
  return {
    name,
    version: `${name}@${createHash('sha256').update(words).digest('hex').slice(0, 8)}`,
    ...(edition !== undefined && { edition }),
    ...(description !== undefined && { description }),
    body: words,
    origin,
  };
}

function splitHead(text: string): { head: Record<string, string>; body: string } {
  const [, lines, body] = /^---\n((?:[^\n]*\n){0,50}?)---(?:\n|$)([\s\S]*)$/.exec(text) ?? [];
  if (lines === undefined || body === undefined) return { head: {}, body: text };
  const head: Record<string, string> = {};
  for (const line of lines.split('\n')) {
    const [, key, value] = /^([a-z_]{1,40}):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined && value !== '') {
      head[key] = value.replace(/^(['"])(.*)\1$/, '$2');
    }
  }
  return { head, body };
}
