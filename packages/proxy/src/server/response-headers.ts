import { corsHeaders } from './cors.ts';
import { hopByHop, type RawHeaders, withoutNamed } from './hop-by-hop.ts';

const dropped: ReadonlySet<string> = new Set(hopByHop);

/** True of the bytes as they came, and of no others. */
const aboutBytes: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'content-md5',
  'content-digest',
  'repr-digest',
  'digest',
  'etag',
  'accept-ranges',
]);

/** Bodies that may end with an error of ours; a length promised before would be wrong then. */
const streamed = /event-stream|ndjson/i;

/** Everything a header may not hold. */
const unsayable = /[^\t -~\u0080-\u00ff]/;

/**
 * Headers of the backend for the client, flat and in lower case. What could not be sent is left
 * out, and so are marks only this proxy may set. A page may read the answer if the backend does
 * not say otherwise.
 */
export function responseHeaders(
  raw: RawHeaders,
  { isRewritten }: { /** The body is not the one that came. */ readonly isRewritten: boolean },
): string[] {
  const kept: string[] = [];
  let connection: string | undefined;
  let hasOrigin = false;
  let lengthAt: number | undefined;
  let isStream = false;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    if (dropped.has(name) || (isRewritten && aboutBytes.has(name))) continue;
    if (name.startsWith('x-forge-')) continue;
    const value = raw[at + 1] ?? '';
    if (name === 'connection') connection = value;
    else if (!unsayable.test(value)) {
      if (name === 'access-control-allow-origin') hasOrigin = true;
      else if (name === 'content-length') lengthAt = kept.length;
      else if (name === 'content-type') isStream = streamed.test(value);
      kept.push(name, value);
    }
  }
  if (isStream && lengthAt !== undefined) kept.splice(lengthAt, 2);
  const all = connection === undefined ? kept : withoutNamed(kept, connection);
  if (!hasOrigin) all.push(...corsHeaders);
  return all;
}
