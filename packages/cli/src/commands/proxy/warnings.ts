import { describeBackend, publicUrl } from './banner.ts';
import type { OpenBackend } from './open-backend.ts';
import type { ProxySettings } from './settings.ts';

/** What a person should know before relying on it. None of it keeps the proxy from running. */
export function warningsFor(
  { host, apiKey, backendApiKey }: ProxySettings,
  { known, others }: OpenBackend,
): readonly string[] {
  const { url, reachable, refusesKey } = known;
  return [
    ...(reachable
      ? []
      : [`Nobody answers at ${publicUrl(url)} yet. Requests will fail until somebody does.`]),
    ...(refusesKey && backendApiKey !== undefined
      ? ['The backend refuses the key. Check FORGE_BACKEND_API_KEY or --backend-api-key.']
      : []),
    ...(isLoopback(host) || apiKey !== undefined
      ? []
      : [`Anybody who reaches ${host} can use it. Set FORGE_PROXY_API_KEY to ask for a key.`]),
    ...others.map(
      (other) => `Also running: ${describeBackend(other)}. Use it with --backend-url ${other.url}`,
    ),
  ];
}

function isLoopback(host: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/i.test(host);
}
