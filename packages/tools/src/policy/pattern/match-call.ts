import type { JsonObject, JsonValue } from '@forge/core';
import { kindOf } from './argument-kind.ts';
import { literalOf, matchGlob } from './glob.ts';
import type { CallPattern, Condition } from './parse-pattern.ts';

export interface PatternCall {
  readonly tool: string;
  readonly args: JsonObject;
  /** The name of the tool's main argument, where the tool is known and has one. */
  readonly main?: string | undefined;
}

/** Longer texts are not looked at: no rule allows them, and every rule on them denies. */
const longestText = 100_000;

/** Whether a rule that allows is about this call. In doubt it is not: then a person is asked. */
export function allowsCall({ tool, condition }: CallPattern, call: PatternCall): boolean {
  if (!matchGlob(tool, call.tool)) return false;
  if (condition === undefined) return true;
  const argument = condition.argument ?? call.main;
  if (argument === undefined) return false;
  const names = namesOf(argument, call.args);
  return names.length > 0 && names.every((name) => allowsArgument(condition, name, call));
}

function allowsArgument(condition: Condition, name: string, { args }: PatternCall): boolean {
  const value = args[name];
  if (condition.type !== 'like') return typeof value === 'number' && isWithin(condition, value);
  const { plain, allowReach, tellsAll, isJoined = false } = kindOf(name);
  const texts = Array.isArray(value) && !isJoined ? value.map(textOf) : [plainText(value)];
  return (
    texts.length > 0 &&
    texts.every((text) => {
      if (text === undefined || text.length > longestText) return false;
      if (tellsAll?.(text) === false && literalOf(condition.glob) === undefined) return false;
      return plain(text).some((reading) => matchGlob(condition.glob, reading, allowReach));
    })
  );
}

/**
 * Whether a rule that denies is about this call. It looks at every reading of the argument. Still a
 * net and not a wall where a shell is behind it: there are endless ways to write a command.
 */
export function deniesCall({ tool, condition }: CallPattern, call: PatternCall): boolean {
  if (!matchGlob(tool, call.tool)) return false;
  if (condition === undefined) return true;
  const argument = condition.argument ?? call.main;
  const names = argument === undefined ? Object.keys(call.args) : namesOf(argument, call.args);
  return names.some((name) => deniesArgument(condition, name, call));
}

/** Arguments that say what is to be run. */
export const commandNames = ['command', 'cmd', 'argv', 'script'];

/** The arguments that are there under a name. A command may be given in several ways, and each is one. */
function namesOf(argument: string, args: JsonObject): readonly string[] {
  const names = commandNames.includes(argument) ? commandNames : [argument];
  return names.filter((name) => Object.hasOwn(args, name));
}

function deniesArgument(condition: Condition, name: string, { args }: PatternCall): boolean {
  const value = args[name];
  if (condition.type !== 'like') {
    const text = typeof value === 'string' ? value.trim() : '';
    const number = typeof value === 'number' ? value : text === '' ? Number.NaN : Number(text);
    return isWithin(condition, number);
  }
  const { readings, denyReach } = kindOf(name);
  return textsOf(value).some(
    (text) =>
      text.length > longestText ||
      readings(text).some((reading) => matchGlob(condition.glob, reading, denyReach)),
  );
}

function isWithin({ type, bound }: Exclude<Condition, { type: 'like' }>, value: number): boolean {
  return type === 'at_most' ? value <= bound : value >= bound;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** A list of words is a text if none of them could be taken for two. */
function plainText(value: JsonValue | undefined): string | undefined {
  if (!Array.isArray(value)) return textOf(value);
  const words = value.map(textOf);
  return words.every((word) => word !== undefined && /^[\w@%+=:,./-]+$/.test(word))
    ? words.join(' ')
    : undefined;
}

/** A command may come as a list of words too. */
function textsOf(value: JsonValue | undefined): readonly string[] {
  if (!Array.isArray(value)) return [textOf(value)].filter((text) => text !== undefined);
  const texts = value.map(textOf).filter((text) => text !== undefined);
  return [...texts, texts.join(' ')];
}
