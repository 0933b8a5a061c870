import {
  type AssistantPart,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ToolCallPart,
} from '@forge/core';
import { argumentsText, readArguments, withArguments } from './call-arguments.ts';
import { isCall, type MakeMistake, type Mistaken, type Occasion } from './mistake.ts';

export const wrongTool: MakeMistake = (occasion) =>
  changeCall(occasion, (call, { request, random }) => {
    const known = new Set(request.tools.map((tool) => tool.name));
    const wrong = random.shuffle(misspellings(call.name)).find((name) => !known.has(name));
    if (wrong === undefined) return undefined;
    return { call: { ...call, name: wrong }, note: `${call.name} became ${wrong}` };
  });

function misspellings(name: string): readonly string[] {
  const words = name.split('_');
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const last = words.at(-1) ?? name;
  const all = [`${name}s`, camel, `do_${name}`, `${name}_tool`, last, name.slice(0, -1)];
  return all.filter((wrong) => wrong !== name && wrong !== '');
}

export const wrongTypes: MakeMistake = (occasion) =>
  changeArguments(occasion, (args, _, { random }) => {
    const [key] = random.shuffle(Object.keys(args));
    const value = key === undefined ? undefined : args[key];
    if (key === undefined || value === undefined) return undefined;
    const wrong = random.pick(otherTypes(value));
    return {
      args: { ...args, [key]: wrong },
      note: `${key} became ${JSON.stringify(wrong)}`,
    };
  });

/** Some the guardrails can mend, some they must refuse. */
function otherTypes(value: JsonValue): readonly [JsonValue, ...JsonValue[]] {
  if (typeof value === 'number') return [String(value), 'a few', [value]];
  if (typeof value === 'string') return [{ value }, [value], null];
  if (typeof value === 'boolean') return [String(value), 'yes', value ? 1 : 0];
  if (Array.isArray(value)) return [JSON.stringify(value), { items: value }, 'all of them'];
  if (isJsonObject(value)) return [JSON.stringify(value), [value], 'default'];
  return ['null', {}, 0];
}

export const missingArguments: MakeMistake = (occasion) =>
  changeArguments(occasion, (args, call, { request, random }) => {
    const required = requiredOf(request.tools.find((tool) => tool.name === call.name)?.inputSchema);
    const [key] = [
      ...random.shuffle(required.filter((name) => Object.hasOwn(args, name))),
      ...random.shuffle(Object.keys(args)),
    ];
    if (key === undefined) return undefined;
    const rest = Object.entries(args).filter(([name]) => name !== key);
    return { args: Object.fromEntries(rest), note: `${key} was left out` };
  });

function requiredOf(schema: unknown): readonly string[] {
  const required = isJsonObject(schema) ? schema.required : undefined;
  if (!Array.isArray(required)) return [];
  return required.filter((name) => typeof name === 'string');
}

export const damagedJson: MakeMistake = (occasion) =>
  changeCall(occasion, (call, { random }) => {
    const text = argumentsText(call);
    for (const [note, damage] of random.shuffle(damages)) {
      const damaged = damage(text);
      if (damaged !== text && !isJson(damaged)) {
        return { call: withArguments(call, damaged), note };
      }
    }
    return undefined;
  });

const damages: readonly (readonly [note: string, damage: (json: string) => string])[] = [
  ['the closing brace was lost', (json) => json.replace(/\}\s*$/, '')],
  ['a comma trails', (json) => json.replace(/\}\s*$/, ',}')],
  ['quotes are single', (json) => json.replace(/'/g, '’').replaceAll('"', "'")],
  ['keys have no quotes', (json) => json.replace(/"(\w+)":/g, '$1:')],
  ['a sentence follows', (json) => `${json}\nThat should do it.`],
  ['a fence stands around it', (json) => `\`\`\`json\n${json}\n\`\`\``],
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type Change<T> = (T & { readonly note: string }) | undefined;

/** Changes one call of the reply, any of them. */
function changeCall(
  occasion: Occasion,
  change: (call: ToolCallPart, occasion: Occasion) => Change<{ readonly call: ToolCallPart }>,
): Mistaken | undefined {
  const { reply, random } = occasion;
  const [chosen] = random.shuffle(reply.content.filter(isCall));
  const changed = chosen && change(chosen, occasion);
  if (changed === undefined) return undefined;
  const content = reply.content.map(
    (part): AssistantPart => (part === chosen ? changed.call : part),
  );
  return { reply: { ...reply, content }, note: `${chosen?.name}: ${changed.note}` };
}

function changeArguments(
  occasion: Occasion,
  change: (
    args: JsonObject,
    call: ToolCallPart,
    occasion: Occasion,
  ) => Change<{ readonly args: JsonObject }>,
): Mistaken | undefined {
  return changeCall(occasion, (call) => {
    const args = readArguments(call);
    const changed = args && change(args, call, occasion);
    if (changed === undefined) return undefined;
    return { call: withArguments(call, changed.args), note: changed.note };
  });
}
