import { matchPattern } from './match-pattern.ts';
import { type Conversation, valueAt } from './read-conversation.ts';
import type { Script, When } from './script-schema.ts';

/** The index of the first scene that fits; -1 for none. */
export function findScene({ scenes }: Script, conversation: Conversation): number {
  return scenes.findIndex(({ when }) => fits(when, conversation));
}

function fits(
  { system, input, notInput, fields, results, tools }: When,
  heard: Conversation,
): boolean {
  return (
    (system === undefined || matchPattern(system, heard.system)) &&
    (input === undefined || matchPattern(input, heard.input)) &&
    (notInput === undefined || !matchPattern(notInput, heard.input)) &&
    (tools ?? []).every((tool) => heard.tools.has(tool)) &&
    Object.entries(results ?? {}).every(([tool, wanted]) => {
      const found = heard.results.get(tool);
      return found !== undefined && matchPattern(wanted, found);
    }) &&
    Object.entries(fields ?? {}).every(([path, wanted]) => {
      const found = valueAt(heard.inputValue, path.split('.'));
      if (isNothing(found)) return wanted === null;
      return wanted !== null && matchPattern(wanted, asText(found));
    })
  );
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
