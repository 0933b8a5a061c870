import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
} from '@modelcontextprotocol/client';
import type { HttpServerConfig } from '../config/mcp-config.ts';
import { type ReadVariable, resolveReference } from '../config/resolve-references.ts';
import type { Stored } from '../stored/stored.ts';
import type { OAuthAccount, TokenRecords } from './token-records.ts';

export interface OAuthProviderOptions {
  readonly server: string;
  readonly config: HttpServerConfig;
  readonly stored: Stored<TokenRecords>;
  readonly readVariable: ReadVariable;
  readonly now: () => number;
  /** Where a person is sent to. Throws when nobody is there to be sent. */
  readonly redirect: (url: URL) => void;
  /** Where a login comes back to; only for grants with a person in them. */
  readonly redirectUrl: string | undefined;
  /** Proof that an answer belongs to the question. */
  readonly state?: string;
}

export async function readAccount(
  stored: Stored<TokenRecords>,
  { server, url }: { readonly server: string; readonly url: string },
): Promise<OAuthAccount> {
  const account = (await stored.read()).servers[server];
  return account?.url === url ? account : { url };
}

/** One server's side of OAuth, as the protocol's SDK asks for it, on our own storage. */
export function createOAuthProvider(options: OAuthProviderOptions): OAuthClientProvider {
  const { server, config, stored, readVariable, now, redirect, redirectUrl, state } = options;
  const { url, oauth } = config;
  const key = { server, url };
  const change = async (edit: (account: OAuthAccount) => OAuthAccount) => {
    await stored.update((records) => {
      const known = records.servers[server];
      const account = edit(known?.url === url ? known : { url });
      return { ...records, servers: { ...records.servers, [server]: account } };
    });
  };
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  const fixedClient = () => {
    if (oauth?.clientId === undefined) return undefined;
    const secret = oauth.clientSecret;
    return {
      client_id: oauth.clientId,
      ...(secret !== undefined && { client_secret: resolveReference(secret, readVariable) }),
    };
  };
  return {
    redirectUrl,
    clientMetadata: metadataOf(config, redirectUrl),
    ...(state !== undefined && { state: () => state }),
    async clientInformation(context) {
      const account = await readAccount(stored, key);
      const fixed = fixedClient();
      // Bound to whoever gave the first tokens: a server that names another one gets no secret.
      if (fixed !== undefined) return { ...fixed, issuer: account.issuer ?? context?.issuer };
      const isSamePlace = redirectUrl === undefined || account.redirectUrl === redirectUrl;
      return isSamePlace ? account.client : undefined;
    },
    ...(oauth?.clientId === undefined && {
      async saveClientInformation(client) {
        await change((account) => ({ ...account, client: { ...client }, redirectUrl }));
      },
    }),
    tokens: async () => (await readAccount(stored, key)).tokens,
    async saveTokens(tokens) {
      const { expires_in: seconds, issuer } = tokens;
      await change((account) => ({
        ...account,
        tokens: { ...tokens },
        issuer: issuer ?? account.issuer,
        expiresAt: seconds === undefined ? undefined : now() + seconds * 1_000,
      }));
    },
    redirectToAuthorization: redirect,
    saveCodeVerifier(value) {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(value) {
      discovered = value;
    },
    discoveryState: () => discovered,
    async invalidateCredentials(scope) {
      if (scope === 'discovery' || scope === 'verifier') return;
      await change(({ client, tokens: _, expiresAt: __, ...account }) => ({
        ...account,
        ...(scope === 'tokens' && { client }),
      }));
    },
    ...(oauth?.grant === 'client_credentials' && {
      prepareTokenRequest: (scope?: string) =>
        new URLSearchParams({
          grant_type: 'client_credentials',
          ...((scope ?? oauth.scope) && { scope: scope ?? oauth.scope ?? '' }),
        }),
    }),
  };
}

function metadataOf(
  { oauth }: HttpServerConfig,
  redirectUrl: string | undefined,
): OAuthClientMetadata {
  const isPersonal = redirectUrl !== undefined;
  return {
    client_name: 'Forge',
    redirect_uris: isPersonal ? [redirectUrl] : [],
    grant_types: isPersonal ? ['authorization_code', 'refresh_token'] : ['client_credentials'],
    response_types: isPersonal ? ['code'] : [],
    token_endpoint_auth_method: oauth?.clientSecret === undefined ? 'none' : 'client_secret_basic',
    ...(oauth?.scope !== undefined && { scope: oauth.scope }),
  };
}
