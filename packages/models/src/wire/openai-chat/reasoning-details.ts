import { isJsonObject, type JsonObject, type JsonValue } from '@forge/core';

/**
 * OpenRouter streams its `reasoning_details` in pieces and wants the whole list back unchanged:
 * pieces with the same place and type are one entry, whose texts are joined.
 */
export function createReasoningDetails(): {
  push(value: unknown): void;
  value(): JsonObject | undefined;
} {
  const entries = new Map<string, Map<string, JsonValue>>();
  const texts = new Map<string, string[]>();

  function add(piece: JsonObject): void {
    const key = `${piece.index ?? entries.size} ${piece.type}`;
    const entry = entries.get(key) ?? new Map<string, JsonValue>();
    entries.set(key, entry);
    for (const [name, value] of Object.entries(piece)) {
      if (joined.has(name) && typeof value === 'string') append(`${key} ${name}`, value);
      if (value !== null || !entry.has(name)) entry.set(name, value);
    }
  }

  function append(key: string, text: string): void {
    const pieces = texts.get(key);
    if (pieces === undefined) texts.set(key, [text]);
    else pieces.push(text);
  }

  return {
    push(value) {
      if (!Array.isArray(value)) return;
      for (const piece of value) if (isJsonObject(piece)) add(piece);
    },
    value() {
      if (entries.size === 0) return undefined;
      const list = Array.from(entries, ([key, entry]) =>
        Object.fromEntries(
          Array.from(entry, ([name, value]): [string, JsonValue] => [
            name,
            texts.get(`${key} ${name}`)?.join('') ?? value,
          ]),
        ),
      );
      return { reasoning_details: list };
    },
  };
}

const joined: ReadonlySet<string> = new Set(['text', 'summary', 'data']);
