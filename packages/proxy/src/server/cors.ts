import type { IncomingHttpHeaders } from 'node:http';

/**
 * A page may read every answer of the proxy, but never with the cookies of the user: `*` does not
 * allow those. Which pages may ask at all is for `check-caller.ts` to say.
 */
export const corsHeaders: readonly string[] = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  '*',
];

/** The head of the answer to a browser that asks beforehand. It has status 204 and no body. */
export function preflightHeaders(headers: IncomingHttpHeaders): string[] {
  const wanted = headers['access-control-request-headers'];
  const answer = [
    ...corsHeaders,
    'access-control-allow-methods',
    'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    // Named one by one where they were: the star does not stand for Authorization.
    'access-control-allow-headers',
    typeof wanted === 'string' && wanted !== '' ? wanted : '*',
    'access-control-max-age',
    '86400',
    'vary',
    'access-control-request-headers',
  ];
  if (headers['access-control-request-private-network'] === 'true') {
    answer.push('access-control-allow-private-network', 'true');
  }
  return answer;
}
