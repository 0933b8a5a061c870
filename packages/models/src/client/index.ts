export type { AskServer, ClientOptions } from './client-options.ts';
export { createClient } from './create-client.ts';
export { defaultTimeouts, type StartTimer, type Timeouts } from './deadlines.ts';
export type { CallOptions, CallSettings, ModelClient } from './model-client.ts';
export { createTransport, type Transport, type TransportOptions } from './transport.ts';
