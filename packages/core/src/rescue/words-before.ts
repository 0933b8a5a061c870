import { lineStart } from './chars.ts';
import type { Marker } from './markers.ts';
import type { Tag } from './tag.ts';
import type { Walker } from './walker.ts';

/**
 * Where a call starts whose marker has words of it before: GigaChat's announcement, the tool's name
 * with Inkling, and with Mistral where the model puts it too early.
 */
export function wordsBefore(walker: Walker, tag: Tag, marker: Marker): number {
  const at = tag.start;
  const { text, index } = walker.scan;
  if (tag.name === 'TOOL_CALLS' && !tag.token) return at - misplacedName(walker, tag).length;
  if (marker.format === 'gigachat' && text.endsWith('function call', at)) return at - 13;
  if (marker.format !== 'inkling') return at;
  const window = text.slice(Math.max(0, at - 100), at);
  const name = window.slice(window.lastIndexOf('|>') + 2);
  return index.resolve(name) === undefined ? at : at - name.length;
}

/** `name[TOOL_CALLS]{…}`: on a line of its own, a name that belongs behind the marker. */
export function misplacedName({ scan }: Walker, { start, end }: Tag): string {
  const { text, index } = scan;
  const line = lineStart(text, start, index.longestName + 1);
  if (line === undefined || !/^(?:\[ARGS\])?\s*\{/.test(text.slice(end, end + 20))) return '';
  const name = text.slice(line, start);
  return index.exact(name) === undefined ? '' : name;
}
