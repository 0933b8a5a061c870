import type { JsonSchema, Tool } from '@forge/core';

/**
 * The tools of an agent for its prompt, one per line.
 *
 * @example
 * describeTools(tools) // - **read**(path: string, offset?: integer) — Reads a file.
 */
export function describeTools(tools: readonly Tool[]): string {
  return tools
    .map(({ spec }) => {
      const description = spec.description.replace(/\s+/g, ' ').trim();
      return `- **${spec.name}**(${parameters(spec.inputSchema)}) — ${description}`;
    })
    .join('\n');
}

function parameters(schema: JsonSchema): string {
  if (typeof schema !== 'object') return '';
  const { properties, required } = schema;
  if (!isRecord(properties)) return '';
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.entries(properties)
    .map(([name, property]) => `${name}${needed.has(name) ? '' : '?'}: ${typeName(property)}`)
    .join(', ');
}

function typeName(schema: unknown): string {
  if (!isRecord(schema)) return 'any';
  const { type, enum: values, items, anyOf, oneOf } = schema;
  if (Array.isArray(values) && values.length <= 8) {
    return values.map((value) => JSON.stringify(value)).join('|');
  }
  if (type === 'array') {
    const each = typeName(items);
    return each.includes('|') ? `(${each})[]` : `${each}[]`;
  }
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.join('|');
  const members = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  const names = [...new Set(members.map(typeName))];
  return names.length > 0 ? names.join('|') : 'any';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
