import { isJsonObject, type JsonObject } from '../json.ts';
import { skipSpace } from './chars.ts';
import { ValueParser } from './value-parser.ts';

/**
 * The object that damaged JSON text was meant to be: a native call's arguments with a trailing
 * comma, single quotes, a missing brace. Undefined where something would have to be invented: the
 * text stops inside a value, holds a placeholder, or more than one value.
 */
export function mendJson(
  text: string,
): { readonly value: JsonObject; readonly repairs: ReadonlySet<string> } | undefined {
  const parser = new ValueParser(text);
  const value = parser.read(skipSpace(text, 0));
  if (!isJsonObject(value) || parser.cut === 'inside') return undefined;
  if (parser.broken || parser.placeholder || parser.expression) return undefined;
  if (skipSpace(text, parser.pos) < text.length) return undefined;
  return { value, repairs: parser.repairs };
}
