import { ForgeError } from '@forge/core';
import { withVersion } from '../client/join-url.ts';
import type { ReadVariable } from '../config.ts';
import type { ModelName } from './parse-model-name.ts';

/** Where the server is: what the options say, then the name, the environment, the profile. */
export function resolveBaseUrl(
  { provider, profile, baseUrl }: ModelName,
  given: string | undefined,
  readVariable: ReadVariable,
): string {
  const { baseUrlVariable, version } = profile;
  const fromVariable = baseUrlVariable === undefined ? undefined : readVariable(baseUrlVariable);
  const url =
    given ??
    baseUrl ??
    (fromVariable === undefined ? undefined : readHost(fromVariable, profile.baseUrl)) ??
    profile.baseUrl;
  if (url === undefined) {
    throw new ForgeError(
      'invalid_options',
      `${provider} needs an address: ${provider}:http://127.0.0.1:8000#the-model, or the option baseUrl.`,
    );
  }
  return withVersion(url, version);
}

/**
 * Variables such as OLLAMA_HOST hold what a server listens on: often no scheme, no port, or an
 * address that means "everywhere" and cannot be called.
 */
function readHost(value: string, usual: string | undefined): string {
  const hasScheme = /^https?:\/\//.test(value);
  const url = URL.parse(hasScheme ? value : `http://${value}`);
  if (url === null) return value;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (!hasScheme && url.port === '' && usual !== undefined) url.port = new URL(usual).port;
  return url.href.replace(/\/$/, '');
}
