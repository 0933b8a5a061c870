import { rescueToolCalls } from '@forge/core';
import type { Bench, ScalingCase } from './harness/bench.ts';

const tools = ['get_weather', 'search', 'a', 'x', 'name'].map((name) => ({
  name,
  parameters: { type: 'object', properties: { q: { type: 'string' } } } as const,
}));

/** Doubles up to twice the given number of repetitions. */
function doubling(name: string, most: number, text: (count: number) => string): ScalingCase {
  return {
    name,
    sizes: [most / 4, most / 2, most, most * 2],
    atMost: 1.2,
    prepare: (count) => {
      const reply = text(count);
      return () => rescueToolCalls(reply, tools);
    },
  };
}

const repeated = (piece: string, most: number, around: readonly [string, string] = ['', '']) =>
  doubling(`${inCode(around[0] + piece)} × n`, most, (count) => {
    return around[0] + piece.repeat(count) + around[1];
  });

/** As code in Markdown, also where the text has back-ticks or line breaks of its own. */
function inCode(text: string): string {
  const fence = text.includes('`') ? '````' : '`';
  const space = text.includes('`') ? ' ' : '';
  return `${fence}${space}${text.replaceAll('\n', '\\n')}${space}${fence}`;
}

export const bench: Bench = {
  name: 'rescue-scaling',
  sections: [
    {
      kind: 'scaling',
      title: 'Rescue of the worst replies',
      unit: 'repetitions',
      cases: [
        repeated('{', 20_000),
        repeated('[', 20_000),
        repeated('(', 20_000),
        repeated('a[ARGS]{', 4_000),
        repeated('<think>', 3_000),
        repeated('</think>', 3_000),
        repeated('<tool_call>', 20_000),
        repeated('<function=a>', 8_000),
        repeated('<function=a><parameter=q>', 4_000),
        repeated('<|', 20_000),
        repeated('[TOOL_CALLS]', 8_000),
        repeated('```', 20_000),
        repeated('```json\n', 8_000),
        repeated('name(', 20_000),
        repeated('{"a":', 20_000),
        repeated('{"name":"x","arguments":"{', 4_000),
        repeated('{"name":"x","arguments":{}}', 4_000),
        doubling('n different calls, one a line', 2_000, (n) =>
          Array.from({ length: n }, (_, q) => `{"name":"x","arguments":{"q":"${q}"}}`).join('\n'),
        ),
        repeated("{'", 20_000),
        repeated('Action: a\n', 4_000),
        repeated('"', 500_000),
        repeated('\\', 500_000),
        repeated('\\', 500_000, ['{"name":"x","arguments":{"q":"', '"}}']),
        repeated(' ', 500_000, ['{"name":"x"', '']),
        repeated('<', 500_000),
        doubling('balanced `[`…`]`, n deep', 20_000, (n) => '['.repeat(n) + ']'.repeat(n)),
        doubling(
          'balanced `{"a":`…`}`, n deep',
          20_000,
          (n) => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`,
        ),
        doubling('a call with one string of n letters', 500_000, (n) =>
          JSON.stringify({ name: 'x', arguments: { q: 'w'.repeat(n) } }),
        ),
        doubling('n words of prose', 100_000, (n) => 'word '.repeat(n)),
      ],
      notes: ['1 is linear, 2 quadratic; fitted through the fastest tenth of each size.'],
    },
  ],
};
