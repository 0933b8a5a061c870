import { assemble } from './assemble.ts';
import type { RescueResult, RescueTool } from './rescue-types.ts';
import { toolIndex } from './tool-index.ts';
import { walk } from './walk.ts';

export type {
  Confidence,
  RejectedCall,
  RescuedCall,
  RescueResult,
  RescueTool,
} from './rescue-types.ts';

/**
 * The tool calls a model wrote as text, in any of the formats open models use and with the damage
 * they do, the reasoning around them, and what is left for a person to read.
 *
 * Knows the tool list: a name that is not in it is never called. Never throws, evaluates nothing,
 * and takes time linear in the text.
 *
 * @example
 * const { calls, content } = rescueToolCalls(
 *   'Sure. <tool_call>{"name": "get_forecast", "arguments": {"city": "Oslo"}}</tool_call>',
 *   [{ name: 'get_forecast', parameters: { type: 'object', properties: { city: { type: 'string' } } } }],
 * );
 * // calls[0].args is { city: 'Oslo' }, content is 'Sure.'
 */
export function rescueToolCalls(text: string, tools: readonly RescueTool[]): RescueResult {
  if (!marks.test(text)) {
    return { calls: [], content: text.trim(), reasoning: '', truncated: false, rejected: [] };
  }
  return assemble(walk(plain(text), toolIndex(tools)));
}

const marks = /[<{[`(:✿◁｛]|&lt;|&quot;|^analysis|>>>/;

/** The token MiniMax M3 puts before every tag. */
const NOISE = ']<]minimax[>[';

/** A reply that went through an HTML escaper as a whole. */
const escaped = /^\s*(?:&lt;[\w|/]|\{\s*&quot;)/;

const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&apos;', "'"],
  ['&amp;', '&'],
]);

function plain(text: string): string {
  if (escaped.test(text)) {
    return text.replaceAll(/&(?:lt|gt|quot|#39|apos|amp);/g, (name) => entities.get(name) ?? name);
  }
  return text.includes(NOISE) ? text.replaceAll(NOISE, '') : text;
}
