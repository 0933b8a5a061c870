import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { sendJson, serve, serveSessions } from './http-server.ts';

export interface ProtectedServer {
  readonly url: string;
  /** Seconds an access token lives. */
  life: number;
  /** Access tokens that are good now. */
  readonly good: Set<string>;
  readonly refreshTokens: Set<string>;
  readonly registrations: unknown[];
  /** The `grant_type` of every request for tokens. */
  readonly grants: string[];
  /** Stops or begins to refuse people. */
  denies: boolean;
}

interface Grant {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
}

/**
 * A server over HTTP that wants tokens, and beside it, on another port, who gives them: discovery,
 * registration, PKCE, refresh tokens good for one use, client credentials.
 */
export async function serveProtected(test: TestContext): Promise<ProtectedServer> {
  const inner = await serveSessions(test);
  const codes = new Map<string, Grant>();
  const state = {
    life: 3_600,
    good: new Set<string>(),
    refreshTokens: new Set<string>(),
    registrations: [] as unknown[],
    grants: [] as string[],
    denies: false,
  };
  const tokens = (withRefresh: boolean) => {
    const access = `access-${randomUUID()}`;
    state.good.add(access);
    const refresh = `refresh-${randomUUID()}`;
    if (withRefresh) state.refreshTokens.add(refresh);
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: state.life,
      ...(withRefresh && { refresh_token: refresh }),
    };
  };
  const refuse = (response: ServerResponse, error: string) =>
    sendJson(response, { error }, { status: 400 });

  const issuer = await serve(test, (request, response, body) => {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/.well-known/oauth-authorization-server') {
      return sendJson(response, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      });
    }
    if (url.pathname === '/register') {
      const metadata = JSON.parse(body);
      state.registrations.push(metadata);
      const client_id = `client-${state.registrations.length}`;
      return sendJson(response, { ...metadata, client_id }, { status: 201 });
    }
    if (url.pathname === '/authorize') {
      const ask = url.searchParams;
      const redirect = ask.get('redirect_uri') ?? '';
      const back = new URL(redirect);
      back.searchParams.set('state', ask.get('state') ?? '');
      if (state.denies) back.searchParams.set('error', 'access_denied');
      else {
        const code = randomUUID();
        const challenge = ask.get('code_challenge') ?? '';
        codes.set(code, { challenge, redirect, client: ask.get('client_id') ?? '' });
        back.searchParams.set('code', code);
      }
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname !== '/token') return void response.writeHead(404).end();
    const ask = new URLSearchParams(body);
    const grant = ask.get('grant_type') ?? '';
    state.grants.push(grant);
    if (grant === 'authorization_code') {
      const known = codes.get(ask.get('code') ?? '');
      const proof = createHash('sha256')
        .update(ask.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight =
        known?.challenge === proof &&
        known.redirect === ask.get('redirect_uri') &&
        known.client === ask.get('client_id');
      codes.delete(ask.get('code') ?? '');
      return isRight ? sendJson(response, tokens(true)) : refuse(response, 'invalid_grant');
    }
    if (grant === 'refresh_token') {
      const isRight = state.refreshTokens.delete(ask.get('refresh_token') ?? '');
      return isRight ? sendJson(response, tokens(true)) : refuse(response, 'invalid_grant');
    }
    const expected = `Basic ${btoa('robot:robot-secret')}`;
    if (grant === 'client_credentials' && request.headers.authorization === expected) {
      return sendJson(response, tokens(false));
    }
    refuse(response, 'invalid_client');
  });

  const origin = await serve(test, (request, response, body) => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      return sendJson(response, { resource: `${origin}/mcp`, authorization_servers: [issuer] });
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    if (!state.good.has(token)) {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
      const headers = { 'www-authenticate': `Bearer resource_metadata="${metadata}"` };
      return void response.writeHead(401, headers).end();
    }
    const headers: Record<string, string> = { 'content-type': 'application/json', accept: '*/*' };
    const session = request.headers['mcp-session-id'];
    if (typeof session === 'string') headers['mcp-session-id'] = session;
    void fetch(inner.url, {
      method: request.method ?? 'POST',
      headers,
      ...(body !== '' && { body }),
    }).then(async (answer) => {
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    });
  });
  return Object.assign(state, { url: `${origin}/mcp` });
}
