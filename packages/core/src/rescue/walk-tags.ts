import { skipSpace } from './chars.ts';
import { type Marker, markerOf, squash } from './markers.ts';
import { readTurn } from './read-turn.ts';
import { attribute, lexTag, type Tag } from './tag.ts';
import type { ToolFacts } from './tool-index.ts';
import { readRecipient } from './walk-harmony.ts';
import { walkArguments, walkKey, walkParameter } from './walk-parameters.ts';
import { walkCode } from './walk-python.ts';
import { walkThought } from './walk-thoughts.ts';
import type { Walker } from './walker.ts';
import { misplacedName, wordsBefore } from './words-before.ts';
import { lexXtml } from './xtml.ts';

/** A `<` at `at`: reads the tag it starts, if it is one that matters. Where the walk goes on. */
export function walkAngle(walker: Walker, at: number): number {
  const { text } = walker.scan;
  const xtml = lexXtml(text, at);
  const tag = xtml ?? lexTag(text, at);
  if (tag === undefined) return at + 1;
  walker.scan.visits += tag.end - at;
  const marker = markerOf(tag);
  return marker === undefined ? walkUnknown(walker, tag) : walkMarker(walker, tag, marker);
}

export function walkMarker(walker: Walker, tag: Tag, marker: Marker): number {
  const { scan, zone } = walker;
  const { start, end } = tag;
  switch (marker.role) {
    case 'open':
      return tag.close ? closeCall(walker, tag, marker) : openCall(walker, tag, marker);
    case 'close':
      return closeCall(walker, tag, marker);
    case 'separator':
      return walkSeparator(walker, tag);
    case 'parameter':
      return walkParameter(walker, tag, tag.value ?? attribute(tag, 'name', 'key'));
    case 'key':
      return walkKey(walker, tag);
    case 'value':
      return walkParameter(walker, tag, zone?.key);
    case 'arguments':
      return walkArguments(walker, tag);
    case 'name':
      return walkName(walker, tag);
    case 'think':
    case 'thinkEnd':
      return walkThought(walker, tag, marker);
    case 'invented':
      return walkInvented(walker, tag, marker);
    case 'wrapper':
      // `<answer>` is an ordinary word in XML: a wrapper only where reasoning came before it.
      if (marker.strong || scan.reasoned || scan.reasoning.length > 0 || isXtml(scan.text, start)) {
        scan.remove(start, end, 'marker');
      }
      return end;
    case 'noise':
      walker.close(start, end);
      scan.remove(start, end, 'marker');
      return end;
    case 'turn':
      return walkTurn(walker, tag);
    case 'harmony':
    case 'recipient':
      return readRecipient(walker, tag);
    case 'xtml':
      scan.remove(start, end, 'marker');
      return end;
    default:
      return marker.role satisfies never;
  }
}

function isXtml(text: string, at: number): boolean {
  return text.startsWith('<|open|>', at) || text.startsWith('<|close|>', at);
}

function openCall(walker: Walker, tag: Tag, marker: Marker): number {
  const { start, end } = tag;
  walker.settle(start);
  if (marker.code) {
    const after = walkCode(walker, { start, from: end, format: marker.format, form: 'tag' });
    if (after !== undefined) return after;
    if (!marker.strong) return end;
  }
  const name =
    tag.value ?? attribute(tag, 'name', 'tool', 'function', 'tool_name', 'function_name');
  const self = squash(tag.name);
  let { zone } = walker;
  if (zone !== undefined) {
    zone.takeText(start);
    if (zone.hasArguments || (name === undefined && zone.hasName && self === zone.opener)) {
      zone.flush('next');
    }
    if (zone.outcomes === 0 || !marker.format.startsWith('tool'))
      zone.format = formatOf(tag, marker);
  } else {
    zone = walker.enter({
      start: wordsBefore(walker, tag, marker),
      opener: self,
      strong: marker.strong,
      form: tag.token ? 'token' : 'tag',
      format: formatOf(tag, marker),
      textFrom: end,
    });
  }
  if (zone.start < start && marker.format === 'tool_calls')
    zone.setName(misplacedName(walker, tag));
  zone.pass(tag);
  zone.opened = true;
  if (name !== undefined) {
    zone.setName(name);
    if (!marker.strong) zone.addAttributes(tag.attributes);
    const given = attribute(tag, 'arguments', 'args', 'parameters', 'input');
    if (given !== undefined) zone.takeValue(given, start);
  }
  zone.id = attribute(tag, 'id', 'call_id') ?? zone.id;
  if (tag.selfClosing) {
    zone.flush('close');
    if (zone.opener === self) walker.leave();
  }
  return end;
}

/** DeepSeek writes the same names as others with marks of its own. */
function formatOf(tag: Tag, marker: Marker): string {
  if (tag.name.includes('▁')) return 'deepseek';
  return tag.name === 'TOOL_CALLS' ? 'mistral' : marker.format;
}

function closeCall(walker: Walker, tag: Tag, marker: Marker): number {
  const { scan, zone } = walker;
  if (zone === undefined) {
    if (marker.strong) scan.remove(tag.start, tag.end, 'marker');
    return tag.end;
  }
  zone.takeText(tag.start);
  zone.pass(tag);
  // `<tool>name</tool><args>…`: the name was closed, not the call.
  if (zone.hasName && !zone.hasArguments && nextIsArgument(scan.text, tag.end)) return tag.end;
  zone.flush('close');
  if (squash(tag.name) === zone.opener) walker.leave();
  return tag.end;
}

function nextIsArgument(text: string, at: number): boolean {
  const next = skipSpace(text, at);
  const tag = text.charCodeAt(next) === 60 ? lexTag(text, next) : undefined;
  if (tag === undefined || tag.close) return false;
  const role = markerOf(tag)?.role;
  return role === 'arguments' || role === 'parameter' || role === 'key';
}

/** Between name, id and arguments: `<|tool_sep|>`, `<|tool_call_argument_begin|>`. */
function walkSeparator(walker: Walker, tag: Tag): number {
  const { zone, scan } = walker;
  if (zone === undefined) {
    scan.remove(tag.start, tag.end, 'marker');
    return tag.end;
  }
  zone.takeText(tag.start);
  if (squash(tag.name) === 'toolcallname') zone.textIsId();
  zone.pass(tag);
  return tag.end;
}

function walkName(walker: Walker, tag: Tag): number {
  let { zone } = walker;
  if (tag.close) {
    zone?.takeText(tag.start);
  } else if (zone?.resolved !== undefined && mayHave(zone.resolved.tool, tag.name)) {
    return walkParameter(walker, tag, tag.name);
  } else if (zone === undefined) {
    if (!namesTool(walker, tag.end)) return tag.end;
    zone = walker.enter({
      start: tag.start,
      opener: squash(tag.name),
      strong: false,
      form: 'tag',
      format: 'tags',
      textFrom: tag.end,
    });
  }
  if (zone !== undefined) {
    zone.textFrom = tag.end;
    zone.end = tag.end;
  }
  return tag.end;
}

/** A tool without a schema may have any parameter. */
function mayHave(tool: ToolFacts, name: string): boolean {
  return tool.has(name) || tool.schema === undefined;
}

/** Whether the text up to the next tag is a tool's name. */
function namesTool({ scan }: Walker, from: number): boolean {
  const window = scan.text.slice(from, from + scan.index.longestName + 64);
  const next = window.indexOf('<');
  return next !== -1 && scan.index.resolve(window.slice(0, next).trim()) !== undefined;
}

/** A tag that is no marker: a tool's name, or a parameter's. */
function walkUnknown(walker: Walker, tag: Tag): number {
  const { zone, scan } = walker;
  const { name, start, end } = tag;
  if (tag.token) return start + 1;
  if (zone !== undefined) {
    if (tag.close) {
      if (squash(name) === zone.opener) {
        walker.close(start, end);
        return end;
      }
      return start + 1;
    }
    const direct = isBlank(scan.text, zone.textFrom, start);
    zone.takeText(start);
    if (zone.resolved !== undefined) {
      const { tool } = zone.resolved;
      // A tool without a schema knows no parameter: every tag right behind a tag is one.
      const any = direct && mayHave(tool, name);
      if (tool.has(name) || any || (zone.inArguments && zone.strong))
        return walkParameter(walker, tag, name);
      return start + 1;
    }
  }
  const tool = tag.close ? undefined : scan.index.exact(name);
  if (tool === undefined) return start + 1;
  const inside =
    zone ??
    walker.enter({
      start,
      opener: squash(name),
      strong: false,
      form: 'tag',
      format: 'xml',
      textFrom: end,
    });
  inside.setName(name);
  inside.addAttributes(tag.attributes);
  inside.textFrom = end;
  inside.end = end;
  if (tag.selfClosing) walker.close(end, end);
  return end;
}

function isBlank(text: string, from: number, to: number): boolean {
  return skipSpace(text, from) >= to;
}

/** A result only the tool could have written: no call may rest on it. */
function walkInvented(walker: Walker, tag: Tag, marker: Marker): number {
  const { scan } = walker;
  const { start, end } = tag;
  walker.close(start, start);
  if (scan.hasCall) {
    scan.invented = true;
    scan.remove(start, end, 'marker');
    return end;
  }
  if (!marker.strong) return end;
  let after = end;
  if (!tag.close && scan.mayGoBack) {
    const closer = `</${tag.name}>`;
    const close = scan.text.indexOf(closer, end);
    if (close !== -1) after = close + closer.length;
    scan.visits += (close === -1 ? scan.text.length : after) - end;
  }
  scan.remove(start, after, 'marker');
  return after;
}

/** `<|im_start|>role`: a turn of someone else, once there is a call, is invented. */
function walkTurn(walker: Walker, tag: Tag): number {
  const { scan } = walker;
  const { text } = scan;
  walker.close(tag.start, tag.start);
  const { role, end } = readTurn(text, tag);
  scan.remove(tag.start, end, 'marker');
  if (role !== 'assistant' && scan.hasCall) scan.invented = true;
  return end;
}
