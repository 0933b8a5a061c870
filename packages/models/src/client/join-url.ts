import { ForgeError } from '@forge/core';

/**
 * The address of a path below a base URL. A version both name (`…/v1` and `/v1/chat`) is taken
 * once, since people write base URLs either way.
 */
export function joinUrl(baseUrl: string, path: string): URL {
  const base = URL.parse(baseUrl);
  if (base === null || !/^https?:$/.test(base.protocol)) {
    throw new ForgeError(
      'invalid_options',
      `"${baseUrl}" is not a base URL. Write it like http://127.0.0.1:8080/v1.`,
    );
  }
  const [pathname = '', search = ''] = path.split('?', 2);
  const above = base.pathname.split('/').filter((step) => step !== '');
  const below = pathname.split('/').filter((step) => step !== '');
  if (/^v\d/.test(below[0] ?? '') && above.at(-1) === below[0]) below.shift();
  base.pathname = `/${[...above, ...below].join('/')}`;
  for (const [name, value] of new URLSearchParams(search)) base.searchParams.set(name, value);
  base.hash = '';
  return base;
}

/** An address for messages: without what might be secret. */
export function publicUrl(url: URL): string {
  return url.origin + url.pathname;
}

/** A base URL with the version it lacks, if it names no path at all. */
export function withVersion(baseUrl: string, version: string | undefined): string {
  const base = URL.parse(baseUrl);
  return base === null || version === undefined || base.pathname !== '/'
    ? baseUrl
    : joinUrl(baseUrl, version).href;
}

/** Where the server begins: the base URL without its version. */
export function withoutVersion(baseUrl: string): string {
  return baseUrl.replace(/\/v\d+\w*\/?$/, '');
}
