import { exampleFromPattern } from './example-from-pattern.ts';
import type { NumberRules, SchemaNode, StringRules } from './schema-node.ts';

const byFormat: ReadonlyMap<string, string> = new Map([
  ['date', '2025-01-31'],
  ['time', '12:00:00Z'],
  ['date-time', '2025-01-31T12:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'user@example.com'],
  ['idn-email', 'user@example.com'],
  ['hostname', 'example.com'],
  ['idn-hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['iri', 'https://example.com/'],
  ['uri-reference', '/path'],
  ['uri-template', '/items/{id}'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
  ['regex', '^a+$'],
  ['json-pointer', '/a/0'],
  ['byte', 'dGV4dA=='],
]);

/** Texts that common patterns ask for, tried where a pattern cannot be read. */
const common = [
  ...byFormat.values(),
  'a',
  'A',
  '1',
  'abc',
  'ABC',
  '1.0.0',
  '#aabbcc',
  'a/b',
  '+15550100',
];

/** Texts worth trying for a schema, the likeliest first. `index` makes items differ. */
export function exampleTexts(nodes: readonly SchemaNode[], index: number): string[] {
  const texts: string[] = [];
  for (const { source, string } of nodes) {
    const format = typeof source === 'object' && byFormat.get(String(source.format));
    if (format) texts.push(format);
    if (string?.pattern !== undefined) texts.push(...textsLike(string.pattern.source));
  }
  const rules = nodes.flatMap(({ string }) => (string === undefined ? [] : [string]));
  const plain = index === 0 ? 'text' : `text${index + 1}`;
  return [...texts, plain, ...common].map((text) => fit(text, rules));
}

function textsLike(pattern: string): string[] {
  const text = exampleFromPattern(pattern);
  return text === undefined ? [] : [text];
}

/** Brings a text to an allowed length, by repeating or cutting it. */
function fit(text: string, rules: readonly StringRules[]): string {
  const least = Math.min(10_000, Math.max(0, ...rules.map(({ minLength }) => minLength)));
  const most = Math.min(...rules.map(({ maxLength }) => maxLength));
  let fitted = text;
  if (fitted.length < least)
    fitted = (fitted || 'a').repeat(Math.ceil(least / (fitted.length || 1)));
  if (fitted.length > text.length) fitted = fitted.slice(0, Math.max(least, text.length));
  return fitted.length > most ? fitted.slice(0, most) : fitted;
}

/** Numbers worth trying for a schema, the likeliest first. */
export function exampleNumbers(nodes: readonly SchemaNode[], index: number): number[] {
  const rules = nodes.flatMap(({ number }) => (number === undefined ? [] : [number]));
  return [1 + index, index, ...rules.flatMap((rule) => numbersNear(rule, index))].filter(
    Number.isFinite,
  );
}

function numbersNear(rules: NumberRules, index: number): number[] {
  const low = Math.max(rules.minimum, rules.exclusiveMinimum);
  const high = Math.min(rules.maximum, rules.exclusiveMaximum);
  const step = rules.multipleOf ?? 1;
  const firstStep = Math.ceil(low / step) + index;
  const lastStep = Math.floor(high / step) - index;
  return [
    firstStep * step,
    (firstStep + 1) * step,
    lastStep * step,
    (lastStep - 1) * step,
    low,
    high,
    Math.ceil(low),
    Math.floor(low) + 1,
    (low + high) / 2,
    step,
  ];
}
