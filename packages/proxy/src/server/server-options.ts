import type { ServerOptions } from 'node:http';
import type { LimitOptions } from '../options.ts';

/** What is taken of a client, and for how long it is waited for; all of it set. */
export type Limits = Required<LimitOptions>;

const defaults: Limits = {
  bodyBytes: 64 * 1024 * 1024,
  headerBytes: 64 * 1024,
  replyBytes: 64 * 1024 * 1024,
  concurrency: 256,
  queue: 1_024,
  headersTimeout: 30_000,
  bodyTimeout: 60_000,
  writeTimeout: 120_000,
  heartbeat: 10_000,
};

export function withDefaultLimits(limits: LimitOptions = {}): Limits {
  const set = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}

/** Milliseconds an idle connection is kept; longer than clients keep theirs, so they close first. */
const keepAliveTimeout = 75_000;

/** For `http.createServer`. */
export function serverOptions({ headerBytes, headersTimeout, bodyTimeout }: Limits): ServerOptions {
  return {
    maxHeaderSize: headerBytes,
    headersTimeout,
    requestTimeout: Math.max(headersTimeout, bodyTimeout),
    // Looked at this often, else a short timeout would last as long as a long one.
    connectionsCheckingInterval: Math.max(50, Math.min(5_000, Math.floor(headersTimeout / 4))),
    keepAliveTimeout,
    noDelay: true,
    // Answered by our own check, in the client's shape.
    requireHostHeader: false,
  };
}
