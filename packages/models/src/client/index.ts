export type { AskServer, ClientOptions } from './client-options.ts';
export { createClient } from './create-client.ts';
export { defaultTimeouts, type StartTimer, type Timeouts } from './deadlines.ts';
export { joinUrl, publicUrl, withoutVersion } from './join-url.ts';
export type { CallOptions, CallSettings, ModelClient } from './model-client.ts';
export { networkError } from './network-error.ts';
export { createTransport, type Transport, type TransportOptions } from './transport.ts';
