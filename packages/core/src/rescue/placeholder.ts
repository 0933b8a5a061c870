import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { loosen } from './tool-index.ts';

const fillers = [
  'your',
  'insert',
  'enter',
  'some',
  'any',
  'the',
  'value',
  'string',
  'number',
  'placeholder',
];

/**
 * The first argument that is a gap to be filled rather than a value: `...`, `<city>`, `{{city}}`,
 * `YOUR_CITY`. An argument in angle brackets counts only if what it names is the parameter or a
 * filler word, since markup is a value too.
 */
export function placeholderIn(args: JsonObject): string | undefined {
  return Object.keys(args).find((key) => isPlaceholder(key, args[key]));
}

function isPlaceholder(key: string, value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length === 1 && isPlaceholder(key, value[0]);
  if (isJsonObject(value)) return false;
  if (typeof value !== 'string' || value.length > 60) return false;
  const text = value.trim();
  if (text === '...' || text === '…') return true;
  const inner = between(text, '<', '>') ?? between(text, '{{', '}}') ?? between(text, '[', ']');
  if (inner !== undefined) return names(inner, key);
  return /^YOUR_[A-Z_]+(?:_HERE)?$/.test(text);
}

function between(text: string, open: string, close: string): string | undefined {
  if (!text.startsWith(open) || !text.endsWith(close)) return undefined;
  const inner = text.slice(open.length, -close.length);
  return /^[\w -]+$/.test(inner) ? inner : undefined;
}

function names(inner: string, key: string): boolean {
  const words = inner.toLowerCase().split(/[\s_-]+/);
  if (words.some((word) => fillers.includes(word))) return true;
  const loose = loosen(inner);
  const parameter = loosen(key);
  return (
    loose !== '' && (loose.includes(parameter) || (loose.length > 2 && parameter.includes(loose)))
  );
}
