import { isLetter, isPipe } from './chars.ts';
import { markerRows, type Role } from './marker-rows.ts';
import { lexTag, type Tag } from './tag.ts';

export type { Role } from './marker-rows.ts';

export interface Marker {
  readonly role: Role;
  readonly format: string;
  /** Never ordinary text or HTML: taken out of the content even if no call comes of it. */
  readonly strong: boolean;
  /** A block of Python statements. */
  readonly code: boolean;
  /** Only as a special token (`<|…|>`), or only as anything else. */
  readonly only?: 'token' | 'tag';
}

const table = new Map<string, Marker[]>();
for (const { names, role, format = role, weak, code, only } of markerRows) {
  for (const name of names.split(' ')) {
    const marker: Marker = {
      role,
      format,
      strong: weak !== true,
      code: code === true,
      ...(only === undefined ? {} : { only }),
    };
    const key = squash(name);
    table.set(key, [...(table.get(key) ?? []), marker]);
  }
}

/** Vendors put their name before it: `longcat_tool_call`, `dots_function_call`. */
const vendorEndings = [
  'toolcall',
  'toolcalls',
  'functioncall',
  'functioncalls',
  'argkey',
  'argvalue',
];

/** The meaning of a tag, by its name: whole, then what is behind or before a colon. */
export function markerOf(tag: Tag): Marker | undefined {
  const { name, token } = tag;
  const whole = squash(name);
  const direct = find(whole, token);
  if (direct !== undefined) return direct;
  const colon = name.indexOf(':');
  if (colon !== -1) {
    const part = find(squash(name.slice(name.lastIndexOf(':') + 1)), token);
    return part ?? find(squash(name.slice(0, colon)), token);
  }
  if (whole.length === name.length || whole.length > 40) return undefined;
  const ending = vendorEndings.find((end) => whole.endsWith(end));
  return ending === undefined ? undefined : find(ending, token);
}

function find(key: string, token: boolean): Marker | undefined {
  const markers = table.get(key);
  return markers?.find(({ only }) => only === undefined || (only === 'token') === token);
}

/** A marker's name without case and separators. */
export function squash(name: string): string {
  return name.toLowerCase().replaceAll(/[-_▁.: ]/g, '');
}

/** Whether a value may not go on at the `<` at `at`: a marker, or any closing tag. */
export function endsPayload(text: string, at: number): boolean {
  const code = text.charCodeAt(at + 1);
  if (code === 47) return isLetter(text.charCodeAt(at + 2)) || isPipe(text.charCodeAt(at + 2));
  if (text.startsWith('<|"|>', at)) return false;
  const tag = lexTag(text, at);
  return tag !== undefined && markerOf(tag) !== undefined;
}

const names = [...table.keys()];

/** Whether what follows a `<`, cut off by the end of the text, could still become a marker. */
export function startsMarker(partial: string): boolean {
  let from = 0;
  while (from < partial.length && '</|｜'.includes(partial.charAt(from))) from++;
  const token = from > 0 && isPipe(partial.charCodeAt(from - 1));
  const key = squash(partial.slice(from));
  if (key === '') return true;
  if (names.some((name) => name.startsWith(key) && find(name, token) !== undefined)) return true;
  return vendorEndings.some((end) => key.endsWith(end)) || 'dsml'.startsWith(key);
}

/** Whether the text ends inside the name of a tag, or right behind it, that starts at `at`. */
export function isHalfTag(text: string, at: number): boolean {
  const rest = text.slice(at, at + 48);
  return rest.length < 48 && /^<[</|｜]*(?:DSML[|｜])? ?[\w:.▁-]*[|｜]?$/.test(rest);
}
