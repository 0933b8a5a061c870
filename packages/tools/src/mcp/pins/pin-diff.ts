import { isJsonObject, type JsonValue, neutralise } from '@forge/core';
import { createTwoFilesPatch } from 'diff';
import type { McpToolDefinition } from '../catalog/mcp-tool-definition.ts';
import type { Pin } from './pin-records.ts';

/** What changed about a tool since it was pinned, as a unified diff. Empty if nothing did. */
export function pinDiff({ definition, changed }: Pin): string {
  if (changed === undefined) return '';
  return createTwoFilesPatch(
    'pinned',
    'now',
    shown(definition),
    shown(changed.definition),
    '',
    '',
    {
      context: 3,
    },
  );
}

/** Sorted, one field to a line, and with long text broken at its own line ends. */
function shown(definition: McpToolDefinition): string {
  const text = JSON.stringify(sorted(JSON.parse(JSON.stringify(definition))), null, 2);
  return `${neutralise(text.replaceAll('\\n', '\\n\n'))}\n`;
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key] ?? null)]));
}
