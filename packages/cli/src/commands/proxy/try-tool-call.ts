import type { ModelRequest, ToolChoice } from '@forge/core';
import {
  assembleReply,
  createClient,
  joinUrl,
  ModelError,
  type StreamEvent,
  wires,
} from '@forge/models';
import type { WireName } from '../../project/proxy-names.ts';
import { keyHeaders } from './key-headers.ts';
import { readWeatherReply, type Seen, weatherQuestion, weatherTool } from './weather-tool.ts';

/** What came of asking for a tool call once. */
export type Trial =
  | Seen
  | { readonly saw: 'error'; readonly kind: ModelError['kind']; readonly message: string };

/** Room for a model that thinks first. */
const maxTokens = 1_024;

/** Asks a server for the weather, with the tool for it, and reads what comes back. */
export async function tryToolCall(options: {
  readonly url: string;
  readonly wire: WireName;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly stream: boolean;
  readonly toolChoice: ToolChoice;
  /** Milliseconds of silence. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal;
}): Promise<Trial> {
  const { url, wire, model, apiKey, stream, toolChoice, timeout, signal } = options;
  const client = createClient({
    wire: wires[wire],
    baseUrl: versioned(url, wire),
    model,
    headers: keyHeaders(wire, apiKey),
    settings: { maxTokens, temperature: 0 },
    ...(timeout !== undefined && { timeouts: { firstToken: timeout, stall: timeout } }),
  });
  const request: ModelRequest = {
    messages: [{ role: 'user', content: [{ type: 'text', text: weatherQuestion }] }],
    tools: [weatherTool],
    toolChoice,
  };
  try {
    if (!stream) return readWeatherReply(await client.reply(request, { signal }));
    const events: StreamEvent[] = [];
    for await (const event of client.stream(request, { signal })) events.push(event);
    return readWeatherReply(assembleReply(events, wire));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    return { saw: 'error', kind: error.kind, message: error.message };
  }
}

/** A base URL as clients are given it, with the version, which people leave out. */
function versioned(url: string, wire: WireName): string {
  const version = wire === 'gemini' ? '/v1beta' : '/v1';
  const isBare = wire === 'openai-chat' || wire === 'openai-responses' || wire === 'gemini';
  return isBare && !/\/v\d\w*(?=\/|$)/.test(new URL(url).pathname)
    ? joinUrl(url, version).href
    : url;
}
