import type { StreamEvent } from '../wire.ts';

/** What llama.cpp b9844 said when it was asked about two towns: recorded, and the same on every wire. */
export function twoTowns(first: string, second: string): StreamEvent[] {
  const words = ['Let', ' me', ' look', '.'].map((text): StreamEvent => ({ type: 'text', text }));
  const call = (index: number, id: string, town: readonly string[]): StreamEvent[] => [
    { type: 'call', index, id, name: 'get_weather' },
    ...['{', '"', 'city', '":', ' "', ...town, '"', '}'].map(
      (text): StreamEvent => ({ type: 'args', index, text }),
    ),
  ];
  return [...words, ...call(0, first, ['Os', 'lo']), ...call(1, second, ['Ber', 'gen'])];
}
