import type { JsonObject, ReasoningReplay, Usage } from '@forge/core';
import type { Settings, Wire } from '../wire/wire.ts';
import { defaultTimeouts, type StartTimer, startRealTimer, type Timeouts } from './deadlines.ts';
import { definedFields } from './defined-fields.ts';
import type { CallSettings } from './model-client.ts';
import { secretsIn } from './redact.ts';
import { sharedTransport, type Transport } from './transport.ts';

export interface ClientOptions extends CallSettings {
  readonly wire: Wire;
  /** With or without the version: `http://127.0.0.1:8080` and `http://127.0.0.1:8080/v1` are one. */
  readonly baseUrl: string;
  readonly model: string;
  /** How the model is called in events. The name of the model if not set. */
  readonly id?: string;
  /** Sent with every request; the key goes in here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Timeouts;
  /** `auto` streams when someone listens for deltas. */
  readonly streaming?: 'auto' | 'always' | 'never';
  /** The most bytes of one whole reply, or characters of a streamed one. */
  readonly maxReplyBytes?: number;
  readonly transport?: Transport;
  /** What a person should do when the key is refused, such as which variable to set. */
  readonly authHint?: string;
  /** Settings this server refuses or has no word for. They are left out. */
  readonly unsupportedSettings?: readonly (keyof Settings)[];
  /** Told which were left out of a call. */
  readonly onSettingsDropped?: (names: readonly (keyof Settings)[]) => void;
  /** In US dollars; undefined where the price is not known. */
  readonly price?: (call: { readonly model: string; readonly usage: Usage }) => number | undefined;
  /** How much of its own reasoning the model wants back; the kernel sees to it. */
  readonly reasoningReplay?: ReasoningReplay;
  readonly contextLength?: (ask: AskServer) => Promise<number | undefined>;
  readonly startTimer?: StartTimer;
}

/**
 * A question to the server beside the wire: the parsed JSON of its answer, or a `ModelError`. The
 * path begins at the server's root, where a base URL without its version points.
 */
export type AskServer = (
  path: string,
  options?: { readonly body?: JsonObject },
) => Promise<unknown>;

/** The line to one server: a client's options with nothing left open. */
export interface Line {
  readonly wire: Wire;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly timeouts: Required<Timeouts>;
  readonly maxReplyBytes: number;
  readonly transport: Transport;
  readonly authHint: string | undefined;
  readonly startTimer: StartTimer;
}

export const defaultMaxReplyBytes = 64 * 1024 * 1024;

export function toLine(options: ClientOptions): Line {
  const headers = { ...basicAuth(options.baseUrl), ...options.headers };
  return {
    wire: options.wire,
    baseUrl: options.baseUrl,
    headers,
    secrets: secretsIn(headers),
    timeouts: { ...defaultTimeouts, ...definedFields(options.timeouts ?? {}) },
    maxReplyBytes: options.maxReplyBytes ?? defaultMaxReplyBytes,
    transport: options.transport ?? sharedTransport(),
    authHint: options.authHint,
    startTimer: options.startTimer ?? startRealTimer,
  };
}

/** A name and a password in the address go where HTTP wants them. */
function basicAuth(baseUrl: string): Readonly<Record<string, string>> {
  const { username = '', password = '' } = URL.parse(baseUrl) ?? {};
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}
