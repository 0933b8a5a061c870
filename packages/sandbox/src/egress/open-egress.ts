import { listenInside, proxyPort } from './listen-inside.ts';
import { type EgressProxyOptions, startEgressProxy } from './start-egress-proxy.ts';

/** The one way out of a sandbox that has no network. */
export interface Egress {
  /** By which programs inside find the proxy. */
  readonly variables: Readonly<Record<string, string>>;
  traffic(): { readonly receivedBytes: number; readonly sentBytes: number };
  close(): Promise<void>;
}

export interface OpenEgressOptions extends Omit<EgressProxyOptions, 'listen'> {
  /** A process in the network namespace that gets the way out. */
  readonly pid: number;
  readonly signal?: AbortSignal;
}

/** Opens a way out for the network namespace of a process. Closed, there is none again. */
export async function openEgress({ pid, signal, ...options }: OpenEgressOptions): Promise<Egress> {
  const listen = await listenInside(pid, signal);
  const proxy = await startEgressProxy({ ...options, listen }).catch((error: unknown) => {
    listen.close();
    throw error;
  });
  return {
    variables: proxyVariables(`http://127.0.0.1:${proxyPort}`),
    traffic: () => proxy.traffic(),
    close: () => proxy.close(),
  };
}

/** The variables by which most programs find a proxy. */
function proxyVariables(url: string): Record<string, string> {
  const none = 'localhost,127.0.0.1,::1';
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: none,
    no_proxy: none,
  };
}
