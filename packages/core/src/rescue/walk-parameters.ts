import type { CallZone } from './call-zone.ts';
import { skipSpace } from './chars.ts';
import { markerOf, startsMarker } from './markers.ts';
import { readParameter } from './read-parameter.ts';
import { attribute, type Tag } from './tag.ts';
import type { Walker } from './walker.ts';

/** One parameter of the call that is being read, between its tags. */
export function walkParameter(walker: Walker, tag: Tag, key: string | undefined): number {
  const { zone, scan } = walker;
  if (zone === undefined) return tag.end;
  if (tag.close && key !== undefined) {
    // `<arg_key>k</arg_key>v</arg_value>`: the opening tag was left out.
    zone.addParameter({ key, raw: scan.text.slice(zone.textFrom, tag.start) });
    zone.key = undefined;
    zone.textFrom = tag.start;
  }
  zone.takeText(tag.start);
  if (tag.close || key === undefined || key === '') {
    zone.textFrom = tag.end;
    zone.end = tag.end;
    return tag.end;
  }
  if (tag.value !== undefined && zone.outcomes === 0) zone.format = 'qwen-xml';
  const isSibling = (next: Tag): boolean => {
    const role = markerOf(next)?.role;
    if (role === 'key') return tag.value === undefined;
    const sibling =
      role === 'parameter' ? (next.value ?? attribute(next, 'name', 'key')) : undefined;
    if (sibling === undefined || sibling === key || zone.hasParameter(sibling)) return false;
    return zone.resolved === undefined || zone.resolved.tool.has(sibling);
  };
  const read = readParameter(scan.text, tag, {
    isSibling,
    anySibling: zone.resolved?.tool.schema === undefined,
    mayGoBack: scan.mayGoBack,
  });
  scan.visits += read.visited;
  const raw = read.closed ? read.raw : withoutCutMarker(read.raw);
  const hint = hintOf(tag);
  zone.addParameter({ key: key.trim(), raw, ...(hint === undefined ? {} : { hint }) });
  zone.key = undefined;
  zone.textFrom = read.end;
  zone.end = read.end;
  if (!read.closed) zone.flush('end', true);
  return read.end;
}

/** DeepSeek's `string="true"` and Kimi's `type="number"` say what a value is. */
function hintOf(tag: Tag): 'string' | 'json' | undefined {
  const string = tag.attributes?.get('string');
  if (string !== undefined) return string === 'true' ? 'string' : 'json';
  const type = tag.attributes?.get('type');
  return type === undefined || type === '' ? undefined : type === 'string' ? 'string' : 'json';
}

/** A value that the text was cut in, less the half of a closing tag at its end. */
function withoutCutMarker(raw: string): string {
  const at = raw.lastIndexOf('<');
  if (at === -1 || raw.length - at > 40 || !startsMarker(raw.slice(at + 1))) return raw;
  return raw.slice(0, at).replace(/\r?\n$/, '');
}

export function walkKey(walker: Walker, tag: Tag): number {
  const { zone, scan } = walker;
  if (zone === undefined) return tag.end;
  if (tag.close) {
    if (zone.key === undefined) takeLooseKey(zone, scan.text, tag.start);
    zone.textFrom = tag.end;
    return tag.end;
  }
  zone.takeText(tag.start);
  const next = scan.text.indexOf('<', tag.end);
  const end = next === -1 ? scan.text.length : next;
  scan.visits += end - tag.end;
  zone.key = end - tag.end < 200 ? scan.text.slice(tag.end, end).trim() : undefined;
  if (zone.outcomes === 0) zone.format = 'glm';
  zone.textFrom = end;
  zone.end = end;
  return end;
}

/** `f k</arg_key>`: the opening tag was left out, so the last word is the key. */
function takeLooseKey(zone: CallZone, text: string, at: number): void {
  if (at - zone.textFrom > 200) return;
  const found = /([\w.-]+)\s*$/.exec(text.slice(zone.textFrom, at));
  if (found === null) return;
  zone.takeText(zone.textFrom + found.index);
  zone.key = found[1];
}

export function walkArguments(walker: Walker, tag: Tag): number {
  const { zone, scan } = walker;
  if (zone === undefined) return tag.end;
  const next = scan.text.charAt(skipSpace(scan.text, tag.end));
  const isParameter = zone.resolved?.tool.has(tag.name) === true && next !== '{' && next !== '<';
  if (isParameter && !tag.close) return walkParameter(walker, tag, tag.name);
  zone.takeText(tag.start);
  zone.inArguments = !tag.close;
  zone.textFrom = tag.end;
  zone.end = tag.end;
  return tag.end;
}
