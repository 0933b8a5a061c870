import type { Wire } from '@forge/models';
import { bearerOf } from './check-key.ts';

/** The header in which a server of that wire wants its key. */
export type KeyPlace = 'authorization' | 'x-api-key' | 'x-goog-api-key';

export function keyPlaceOf(wire: Wire['name']): KeyPlace {
  switch (wire) {
    case 'openai-chat':
    case 'openai-responses':
    case 'ollama':
      return 'authorization';
    case 'anthropic-messages':
      return 'x-api-key';
    case 'gemini':
      return 'x-goog-api-key';
    default:
      return wire satisfies never;
  }
}

/** A key in its place, flat. */
export function keyHeader(place: KeyPlace, key: string): readonly [name: string, value: string] {
  // Tokens of a log-in, which Anthropic takes only there.
  const isToken = place === 'x-api-key' && key.startsWith('sk-ant-oat');
  return place === 'authorization' || isToken ? ['authorization', `Bearer ${key}`] : [place, key];
}

/**
 * The client's credentials (flat, names in lower case) where a server of another wire wants them:
 * the one that is there already, else the first.
 */
export function moveKey(credentials: readonly string[], place: KeyPlace): readonly string[] {
  let key: string | undefined;
  for (let at = 0; at + 1 < credentials.length; at += 2) {
    const name = credentials[at];
    const value = credentials[at + 1] ?? '';
    if (name === place) return [place, value];
    key ??= name === 'authorization' ? bearerOf(value) : value;
  }
  return key === undefined || key === '' ? [] : keyHeader(place, key);
}

/** The query without the key Gemini's clients may say there. */
export function withoutKey(search: string): string {
  if (!search.includes('key=')) return search;
  const kept = search
    .slice(1)
    .split('&')
    .filter((field) => !field.startsWith('key='));
  return kept.length === 0 ? '' : `?${kept.join('&')}`;
}

/** The key in the query, as a credential. */
export function keyInSearch(search: string): readonly string[] {
  const key = search.includes('key=') ? new URLSearchParams(search).get('key') : null;
  return key === null ? [] : ['x-goog-api-key', key];
}
