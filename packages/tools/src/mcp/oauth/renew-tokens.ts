import {
  discoverOAuthServerInfo,
  type FetchLike,
  type OAuthClientProvider,
  OAuthError,
  refreshAuthorization,
  selectResourceURL,
} from '@modelcontextprotocol/client';
import { LoginRequired } from '../connection/login-required.ts';

export interface RenewOptions {
  readonly server: string;
  readonly provider: OAuthClientProvider;
  readonly serverUrl: string;
  readonly resourceMetadataUrl: URL | undefined;
  readonly fetchFn: FetchLike;
  /** Who gave the tokens that are to be renewed: nobody else gets to see them. */
  readonly issuer: string | undefined;
}

/** Renews tokens with their refresh token. Throws `LoginRequired` where only a person can help. */
export async function renewTokens(options: RenewOptions): Promise<void> {
  const { server, provider, serverUrl, fetchFn, issuer: expected } = options;
  const old = await provider.tokens();
  if (old?.refresh_token === undefined) throw new LoginRequired(server, 'nobody is logged in.');
  const found = await discoverOAuthServerInfo(serverUrl, options);
  const metadata = found.authorizationServerMetadata;
  const issuer = metadata?.issuer ?? String(found.authorizationServerUrl);
  if (expected !== undefined && expected !== issuer) {
    throw new LoginRequired(
      server,
      `it now sends people to ${issuer} and no longer to ${expected}.`,
    );
  }
  const clientInformation = await provider.clientInformation({ issuer });
  if (clientInformation === undefined) throw new LoginRequired(server, 'we are not registered.');
  try {
    const fresh = await refreshAuthorization(found.authorizationServerUrl, {
      metadata,
      clientInformation,
      refreshToken: old.refresh_token,
      resource: await selectResourceURL(serverUrl, provider, found.resourceMetadata),
      fetchFn,
    });
    await provider.saveTokens({ ...fresh, issuer });
  } catch (error) {
    if (!OAuthError.isInstance(error)) throw error;
    // Another process may have used the refresh token a moment ago, and then its news are good.
    const now = await provider.tokens();
    if (now !== undefined && now.refresh_token !== old.refresh_token) return;
    if (!isFinal(error.code)) throw error;
    await provider.invalidateCredentials?.('tokens');
    throw new LoginRequired(server, 'its tokens are no longer accepted.');
  }
}

const isFinal = (code: string) =>
  ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope'].includes(code);
