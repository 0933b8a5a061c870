import { toolIndex } from './tool-index.ts';
import { walk } from './walk.ts';

const noTools = toolIndex([]);

/**
 * What a model thought, apart from what it said: think tags of every spelling, the analysis
 * channel of gpt-oss, ReAct thoughts, and everything before a closing tag that was never opened.
 * `rest` still has all other markers. An opener without an end takes the rest of the text
 * (`unclosed`).
 */
export function splitReasoning(text: string): {
  reasoning: string;
  rest: string;
  unclosed: boolean;
} {
  const scan = walk(text, noTools);
  const thoughts = scan.removals.filter(({ kind }) => kind === 'reasoning');
  let rest = '';
  let from = 0;
  for (const { start, end } of thoughts.sort((a, b) => a.start - b.start)) {
    if (start > from) rest += text.slice(from, start);
    from = Math.max(from, end);
  }
  return {
    reasoning: scan.reasoning.join('\n'),
    rest: (rest + text.slice(from)).trim(),
    unclosed: scan.unclosedThought,
  };
}
