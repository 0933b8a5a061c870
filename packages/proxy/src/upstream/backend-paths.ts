import { joinUrl, ModelError, type Wire, withoutVersion } from '@forge/models';

/** Where each wire's own paths begin, for a base URL that says nothing of it. */
const versions: Readonly<Record<Wire['name'], string>> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '',
  gemini: '/v1beta',
  ollama: '',
};

/** The path to ask for a reply at, with its version, as a client of the proxy would name it. */
export function replyPath(
  wire: Wire,
  request: { readonly model: string; readonly stream: boolean },
): string {
  return versions[wire.name] + wire.path(request);
}

/** Paths that were joined are remembered; there are few, unless a client makes them up. */
const rememberedPaths = 256;

/**
 * Gives the backend's path for one a client asked for, with its query. What has a version is below
 * the base URL, whose own version wins; other pages are at the root. What the base URL has of a
 * query goes with each of them. Throws `bad_request` for a path that would lead out of there: what
 * else the same host serves may belong to others, and the proxy may hold a key for it.
 */
export function createBackendPaths(baseUrl: string): (path: string) => string {
  const { origin, pathname, search } = joinUrl(baseUrl, '');
  const base = origin + pathname;
  const root = withoutVersion(base);
  const { pathname: floor } = joinUrl(root, '');
  const hasVersion = /\/v\d\w*(?=\/|$)/.test(pathname);
  const paths = new Map<string, string>();

  const resolve = (path: string): string => {
    const [asked = '', query] = path.split(/\?(.*)/s, 2);
    const version = /^\/v\d\w*(?=\/|$)/.exec(asked)?.[0];
    const below = version !== undefined && hasVersion ? asked.slice(version.length) : asked;
    const joined = joinUrl(version === undefined ? root : base, below).pathname;
    if (!`${joined}/`.startsWith(floor === '/' ? floor : `${floor}/`)) throw outside(asked);
    const slash = asked.endsWith('/') && !joined.endsWith('/') ? '/' : '';
    const queries = [search.slice(1), query ?? ''].filter((each) => each !== '');
    return joined + slash + (queries.length === 0 ? '' : `?${queries.join('&')}`);
  };

  return (path) => {
    const known = paths.get(path);
    if (known !== undefined) return known;
    const full = resolve(path);
    if (paths.size >= rememberedPaths) paths.clear();
    paths.set(path, full);
    return full;
  };
}

function outside(path: string): ModelError {
  const message = `${path.slice(0, 200)} leads out of the address of the backend.`;
  return new ModelError({ kind: 'bad_request', status: 400, message });
}
