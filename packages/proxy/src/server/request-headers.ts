import type { Wire } from '@forge/models';
import { keyHeaders } from './check-key.ts';
import { keyHeader, keyInSearch, keyPlaceOf, moveKey, withoutKey } from './credentials.ts';
import { hopByHop, type RawHeaders, withoutNamed } from './hop-by-hop.ts';

/** What a request is on its way to the backend. */
export interface Passage {
  /** The client's wire where the proxy writes the body anew; undefined where it goes as it came. */
  readonly wire: Wire['name'] | undefined;
  readonly search: string;
}

export interface BackendHeaders {
  /** The headers for the backend, flat and in lower case. */
  headers(raw: RawHeaders, passage: Passage): string[];
  /** The query for the backend. */
  search(search: string): string;
}

/** Left out; left out if the proxy writes the body; a credential; `Connection`. */
type Fate = 'drop' | 'body' | 'key' | 'connection' | 'version';

const fates: ReadonlyMap<string, Fate> = new Map<string, Fate>([
  ...[...hopByHop, 'host', 'expect'].map((name): [string, Fate] => [name, 'drop']),
  ...['content-length', 'content-encoding', 'content-type', 'accept-encoding'].map(
    (name): [string, Fate] => [name, 'body'],
  ),
  ...['authorization', ...keyHeaders].map((name): [string, Fate] => [name, 'key']),
  ['connection', 'connection'],
  ['anthropic-version', 'version'],
]);

/** Addressed to a provider by name; of no use to another. */
const vendor = /^(?:anthropic|openai|x-goog)-/;

/** Of the version of Anthropic's API, where the client names none. */
const defaultVersion = ['anthropic-version', '2023-06-01'] as const;

/**
 * Headers for a backend. Credentials: the backend's own key if the proxy has one for it; else the
 * client's, moved to where the backend's wire wants it if the client speaks another; else none,
 * if what the client sent was the key of the proxy itself.
 */
export function createBackendHeaders({
  wire: backendWire,
  backendKey,
  proxyKey,
}: {
  /** What the backend speaks. */
  readonly wire: Wire['name'];
  readonly backendKey?: string | undefined;
  readonly proxyKey?: string | undefined;
}): BackendHeaders {
  const place = keyPlaceOf(backendWire);
  const ownKey = backendKey === undefined ? [] : keyHeader(place, backendKey);
  const keepsClientKey = backendKey === undefined && proxyKey === undefined;
  const wantsVersion = backendWire === 'anthropic-messages';

  function credentialsFor(sent: readonly string[], { wire, search }: Passage): readonly string[] {
    if (!keepsClientKey) return ownKey;
    const isMoved = wire !== undefined && keyPlaceOf(wire) !== place;
    return isMoved ? moveKey([...sent, ...keyInSearch(search)], place) : sent;
  }

  return {
    headers(raw, passage) {
      const isWritten = passage.wire !== undefined;
      const isTranslated = isWritten && passage.wire !== backendWire;
      const kept: string[] = [];
      const sent: string[] = [];
      let connection: string | undefined;
      let hasVersion = false;
      for (let at = 0; at + 1 < raw.length; at += 2) {
        const name = (raw[at] ?? '').toLowerCase();
        const value = raw[at + 1] ?? '';
        const fate = fates.get(name);
        if (fate === 'drop' || (isWritten && fate === 'body')) continue;
        if (fate === 'key') sent.push(name, value);
        else if (fate === 'connection') connection = joined(connection, value);
        else if (name.startsWith('x-forge-') || (isTranslated && vendor.test(name))) continue;
        else {
          kept.push(name, value);
          hasVersion ||= fate === 'version';
        }
      }
      // What a client says is for the proxy alone is its own; what the proxy adds is not.
      const passed = connection === undefined ? kept : withoutNamed(kept, connection);
      const keys = connection === undefined ? sent : withoutNamed(sent, connection);
      if (isWritten) passed.push('content-type', 'application/json', 'accept-encoding', 'identity');
      if (wantsVersion && !hasVersion) passed.push(...defaultVersion);
      passed.push(...credentialsFor(keys, passage));
      return passed;
    },
    search: (search) => (keepsClientKey ? search : withoutKey(search)),
  };
}

function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before},${value}`;
}
