import { type Wire, wires } from '@forge/models';

/** Where a request wants to go: the path without double slashes in front, and the query with its `?`. */
interface Place {
  readonly path: string;
  /** Empty, or the query beginning with `?`, as it came. */
  readonly search: string;
}

/** A page of the proxy itself. */
export type OwnPage = 'health' | 'usage' | 'page' | 'metrics';

/**
 * What a request is after:
 *
 * - `reply`: a model's reply in this wire. `hints` are what its path says (Gemini).
 * - `count_tokens`: Anthropic's count of a request.
 * - `own`: a page of the proxy. `redirect`: the same, one slash short.
 * - `preflight`: a browser asks whether it may.
 * - `pass`: everything else; the backend's own business.
 */
export type Route = Place &
  (
    | {
        readonly type: 'reply';
        readonly wire: Wire;
        readonly hints?: { readonly model: string; readonly stream: boolean };
      }
    | { readonly type: 'count_tokens' }
    | { readonly type: 'own'; readonly page: OwnPage }
    | { readonly type: 'redirect'; readonly to: string }
    | { readonly type: 'preflight' }
    | { readonly type: 'pass' }
  );

const posts = new Map<string, Route>();
function addPost(route: Route): void {
  posts.set(route.path, route);
  // Without its version it is the same; not every backend knows it so.
  posts.set(route.path.replace(/^\/v1(?=\/)/, ''), route);
}
addPost({ type: 'reply', wire: wires['openai-chat'], path: '/v1/chat/completions', search: '' });
addPost({ type: 'reply', wire: wires['openai-responses'], path: '/v1/responses', search: '' });
addPost({ type: 'reply', wire: wires['anthropic-messages'], path: '/v1/messages', search: '' });
addPost({ type: 'reply', wire: wires.ollama, path: '/api/chat', search: '' });
addPost({ type: 'count_tokens', path: '/v1/messages/count_tokens', search: '' });

const gets = new Map<string, Route>([
  ['/forge/health', { type: 'own', page: 'health', path: '/forge/health', search: '' }],
  ['/forge/usage', { type: 'own', page: 'usage', path: '/forge/usage', search: '' }],
  ['/forge/', { type: 'own', page: 'page', path: '/forge/', search: '' }],
  ['/metrics', { type: 'own', page: 'metrics', path: '/metrics', search: '' }],
  ['/forge', { type: 'redirect', to: '/forge/', path: '/forge', search: '' }],
]);

const nothing: ReadonlyMap<string, Route> = new Map();

/**
 * The route of a request by its method and target as they came. Never throws. Usual targets cost
 * one lookup; of others, what people write instead of them is understood: an absolute URL, doubled
 * or trailing slashes, percent signs where none are needed, and a version said twice (`/v1/v1/…`,
 * from a base URL that already had it).
 */
export function routeOf(method: string, target: string): Route {
  const known = routesOf(method);
  return known.get(target) ?? routeOfOddTarget(method, known, target);
}

function routesOf(method: string): ReadonlyMap<string, Route> {
  if (method === 'POST') return posts;
  return method === 'GET' || method === 'HEAD' ? gets : nothing;
}

function routeOfOddTarget(
  method: string,
  known: ReadonlyMap<string, Route>,
  target: string,
): Route {
  const place = placeOf(target);
  if (method === 'OPTIONS') return { type: 'preflight', ...place };
  const plain = plainPath(place.path);
  const found = known.get(plain) ?? known.get(withoutEndSlash(plain));
  if (found !== undefined) return { ...found, search: place.search };
  const gemini = method === 'POST' ? readGeminiPath(plain) : undefined;
  if (gemini !== undefined) {
    const version = /^\/v\d/.test(plain) ? '' : '/v1beta';
    const path = version + place.path;
    return { type: 'reply', wire: wires.gemini, hints: gemini, path, search: place.search };
  }
  return { type: 'pass', ...place };
}

/** A target of any form as path and query. What passes through stays as it came but for its front. */
function placeOf(target: string): Place {
  const local = /^https?:\/\/[^/?#]*/i.exec(target);
  const whole = local === null ? target : target.slice(local[0].length);
  const hash = whole.indexOf('#');
  const unmarked = hash === -1 ? whole : whole.slice(0, hash);
  const mark = unmarked.indexOf('?');
  const path = mark === -1 ? unmarked : unmarked.slice(0, mark);
  const search = mark === -1 ? '' : unmarked.slice(mark);
  // Two slashes in front would make the first step of the path a host.
  const rooted = `/${path.replace(/^\/+/, '')}`;
  return { path: rooted.replace(/^(\/v\d\w*)\1(?=\/)/, '$1'), search };
}

/** For comparing: single slashes, nothing encoded that need not be, the version once. */
function plainPath(path: string): string {
  const single = path.replace(/\/{2,}/g, '/').replace(/^(\/v\d\w*)\1(?=\/)/, '$1');
  return single.includes('%') ? decoded(single) : single;
}

function withoutEndSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // Not an encoding: taken for what it says.
  }
}

const geminiPath =
  /^(?:\/v\d\w*)?\/(?<resource>.{1,512}):(?<method>generateContent|streamGenerateContent)\/?$/;

/** Model and stream as Gemini's path says them; `models/` in front is no part of the name. */
function readGeminiPath(path: string): { model: string; stream: boolean } | undefined {
  const found = geminiPath.exec(path)?.groups;
  if (found?.resource === undefined) return undefined;
  const model = found.resource.replace(/^models\//, '');
  return { model, stream: found.method === 'streamGenerateContent' };
}
