import type { Wire } from '../../wire/wire.ts';

export type Route =
  | { readonly type: 'chat'; readonly hints: { model?: string; stream?: boolean } }
  | { readonly type: 'about'; readonly page: AboutPage; readonly model?: string }
  | { readonly type: 'unknown' };

/** Pages on which servers tell about themselves. */
export type AboutPage = 'props' | 'models' | 'model' | 'show' | 'running' | 'version';

const pages: readonly (readonly [method: string, path: RegExp, page: AboutPage])[] = [
  ['GET', /\/props$/, 'props'],
  ['GET', /\/(?:v1|v1beta|api\/v0)\/models$/, 'models'],
  ['GET', /\/(?:v1|v1beta)\/models\/(?<model>.+)$/, 'model'],
  ['POST', /\/api\/show$/, 'show'],
  ['GET', /\/api\/ps$/, 'running'],
  ['GET', /\/api\/version$/, 'version'],
];

/** On this wire the path says which model is meant and whether to stream. */
const geminiPath = /\/models\/(?<model>[^/]+):(?<method>generateContent|streamGenerateContent)$/;

/** What a request is after. Whatever stands before the path of the wire is a base URL. */
export function readRoute(wire: Wire, method: string, url: string): Route {
  const path = decodeURIComponent(url.split('?', 1)[0] ?? '');
  if (method === 'POST') {
    if (wire.name === 'gemini') {
      const found = geminiPath.exec(path)?.groups;
      const stream = found?.method === 'streamGenerateContent';
      if (found) return { type: 'chat', hints: { model: found.model, stream } };
    } else if (path.endsWith(wire.path({ model: '', stream: false }))) {
      return { type: 'chat', hints: {} };
    }
  }
  for (const [verb, pattern, page] of pages) {
    const found = verb === method ? pattern.exec(path) : null;
    if (found) return { type: 'about', page, ...found.groups };
  }
  return { type: 'unknown' };
}
