import { randomUUID } from 'node:crypto';
import { ForgeError, messageOf } from '@forge/core';
import {
  type AuthProvider,
  auth,
  extractWWWAuthenticateParams,
  type FetchLike,
} from '@modelcontextprotocol/client';
import type { HttpServerConfig } from '../config/mcp-config.ts';
import type { ReadVariable } from '../config/resolve-references.ts';
import { LoginRequired } from '../connection/login-required.ts';
import type { Stored } from '../stored/stored.ts';
import { type CallbackServer, startCallbackServer } from './callback-server.ts';
import { createOAuthProvider, readAccount } from './oauth-provider.ts';
import { renewTokens } from './renew-tokens.ts';
import { secureFetch } from './secure-fetch.ts';
import type { TokenRecords } from './token-records.ts';

export interface AuthorizerOptions {
  readonly server: string;
  readonly config: HttpServerConfig;
  readonly stored: Stored<TokenRecords>;
  readonly readVariable: ReadVariable;
  /** For whoever gives the tokens. */
  readonly fetch: FetchLike;
  readonly now: () => number;
}

export interface LoginOptions {
  /** Shows a person the page to log in on: opens a browser, prints the address. */
  readonly open: (url: string) => void | Promise<void>;
  readonly signal: AbortSignal;
}

/** Gives a server's requests their tokens, fresh ones before the old ones expire. */
export interface Authorizer extends AuthProvider {
  /** The same `fetch`, with a note of which token each answer is about. */
  watch(fetch: FetchLike): FetchLike;
  /** Has a person log in, or for `client_credentials` logs in itself. */
  login(options: LoginOptions): Promise<void>;
  logout(): Promise<void>;
}

/** Renewed this long before the end, or in the last fifth of a shorter life. */
const earliest = 60_000;

export function createAuthorizer(options: AuthorizerOptions): Authorizer {
  const { server, config, stored, now } = options;
  const key = { server, url: config.url };
  const isPersonal = config.oauth?.grant !== 'client_credentials';
  const fetchFn = secureFetch(options.fetch, config.url);
  let challenge: ReturnType<typeof extractWWWAuthenticateParams> = {};
  let renewing: Promise<void> | undefined;
  /** The token a response is about. */
  const sent = new WeakMap<Response, string>();

  const scope = () => challenge.scope ?? config.oauth?.scope;
  const target = () => ({
    serverUrl: config.url,
    resourceMetadataUrl: challenge.resourceMetadataUrl,
    scope: scope(),
    fetchFn,
  });

  /**
   * New tokens without a person. One at a time, as a refresh token is often good for one use, and
   * only if the stale one is still the one we have: others may have been quicker.
   */
  const renew = (stale: string | undefined): Promise<void> => {
    renewing ??= (async () => {
      const { tokens } = await readAccount(stored, key);
      if (tokens !== undefined && tokens.access_token !== stale) return;
      await (isPersonal ? refresh() : logInAlone());
    })().finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  const nobody = () => {
    throw new LoginRequired(server, 'nobody is there to log in.');
  };
  const refresh = async () => {
    const { redirectUrl, issuer } = await readAccount(stored, key);
    const provider = createOAuthProvider({ ...options, redirectUrl, redirect: nobody });
    await renewTokens({ server, provider, issuer, ...target() });
  };
  const logInAlone = async () => {
    const provider = createOAuthProvider({ ...options, redirectUrl: undefined, redirect: nobody });
    await auth(provider, target());
  };

  return {
    watch: (send) => async (target, init) => {
      const response = await send(target, init);
      const token = new Headers(init?.headers).get('authorization')?.replace(/^Bearer /, '');
      if (token !== undefined) sent.set(response, token);
      return response;
    },

    async token() {
      const { tokens, expiresAt } = await readAccount(stored, key);
      if (tokens === undefined) {
        if (isPersonal) return undefined;
        await renew(undefined);
      } else {
        const canRenew = !isPersonal || tokens.refresh_token !== undefined;
        const life = (tokens.expires_in ?? 0) * 1_000;
        const isOld = expiresAt !== undefined && expiresAt - now() <= Math.min(earliest, life / 5);
        if (!canRenew || !isOld) return tokens.access_token;
        await renew(tokens.access_token).catch((error) => {
          if (now() >= expiresAt) throw error; // The old ones are still good for a moment.
        });
      }
      return (await readAccount(stored, key)).tokens?.access_token;
    },

    async onUnauthorized({ response }) {
      challenge = extractWWWAuthenticateParams(response);
      const { tokens } = await readAccount(stored, key);
      if (isPersonal && tokens?.refresh_token === undefined) {
        const why = tokens === undefined ? 'nobody is logged in.' : 'its tokens are not accepted.';
        throw new LoginRequired(server, why);
      }
      await renew(sent.get(response) ?? tokens?.access_token);
    },

    async login({ open, signal }) {
      if (!isPersonal) return await logInAlone();
      if (challenge.resourceMetadataUrl === undefined) {
        challenge = await askForChallenge({ url: config.url, fetchFn, signal });
      }
      const state = randomUUID();
      const callback = await openCallback(await preferredPort(), state);
      try {
        const { redirectUrl } = callback;
        const { promise, resolve } = Promise.withResolvers<URL>();
        const provider = createOAuthProvider({ ...options, redirectUrl, redirect: resolve, state });
        await auth(provider, { ...target(), forceReauthorization: true });
        await open((await promise).href);
        const answer = await callback.answer(signal);
        const code = answer.get('code');
        if (code === null) throw denied(server, answer);
        await auth(provider, {
          ...target(),
          authorizationCode: code,
          iss: answer.get('iss') ?? undefined,
        });
      } finally {
        callback.close();
      }
    },

    async logout() {
      await stored.update((records) => {
        const { [server]: _, ...servers } = records.servers;
        return { ...records, servers };
      });
    },
  };

  async function preferredPort(): Promise<number> {
    if (config.oauth?.callbackPort !== undefined) return config.oauth.callbackPort;
    const { redirectUrl } = await readAccount(stored, key);
    return redirectUrl === undefined ? 0 : Number(new URL(redirectUrl).port);
  }

  /** A kept port that is taken means a new registration, which is better than no login. */
  async function openCallback(port: number, state: string): Promise<CallbackServer> {
    try {
      return await startCallbackServer({ port, state });
    } catch (error) {
      if (config.oauth?.callbackPort === undefined && port !== 0) {
        return await startCallbackServer({ port: 0, state });
      }
      throw new ForgeError(
        'not_running',
        `Port ${port} on loopback, which the login comes back to, cannot be opened: ${messageOf(error)}.`,
      );
    }
  }
}

/** Where a server says, when it turns somebody away, who gives tokens for it. */
async function askForChallenge({
  url,
  fetchFn,
  signal,
}: {
  url: string;
  fetchFn: FetchLike;
  signal: AbortSignal;
}): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const response = await fetchFn(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    signal,
  });
  await response.body?.cancel();
  return extractWWWAuthenticateParams(response);
}

function denied(server: string, answer: URLSearchParams): ForgeError {
  const why = answer.get('error_description') ?? answer.get('error') ?? 'no reason was given';
  return new ForgeError(
    'not_allowed',
    `The login to "${server}" was refused: ${why.slice(0, 300)}.`,
  );
}
