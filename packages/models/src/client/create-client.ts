import type { ModelDelta, ModelRequest } from '@forge/core';
import { ReplyAssembler } from '../wire/assemble-reply.ts';
import { ModelError } from '../wire/model-error.ts';
import type { StreamEvent, WireReply, WireRequest } from '../wire/wire.ts';
import { type ClientOptions, type Line, toLine } from './client-options.ts';
import { Deadlines } from './deadlines.ts';
import { hearStream } from './hear-stream.ts';
import { hearJson, hearWhole } from './hear-whole.ts';
import { joinUrl, publicUrl, withoutVersion } from './join-url.ts';
import { type CallOptions, type ModelClient, toClient } from './model-client.ts';
import { dropSettings, prepareRequest } from './prepare-request.ts';
import { sendRequest } from './send-request.ts';

/**
 * A model behind a server that speaks a wire. One call is one HTTP request: trying again,
 * falling back and the like are layers around it.
 *
 * @example
 * const client = createClient({ wire: ollama, baseUrl: 'http://127.0.0.1:11434', model: 'qwen3:8b' });
 * const reply = await client.complete(request, { signal });
 */
export function createClient(options: ClientOptions): ModelClient {
  const line = toLine(options);
  const { model, price, streaming = 'auto' } = options;
  joinUrl(options.baseUrl, '/'); // A wrong base URL is told now, not at the first call.

  const prepare = (request: ModelRequest, { overrides }: CallOptions, stream: boolean) => {
    const whole = prepareRequest({ model, request, defaults: options, overrides, stream });
    const { kept, dropped } = dropSettings(whole.settings, options.unsupportedSettings);
    if (dropped.length === 0) return whole;
    options.onSettingsDropped?.(dropped);
    return { ...whole, settings: kept };
  };

  /** What the server says it took is a fact; the list is an estimate. */
  const priced = (reply: WireReply): WireReply => {
    if (price === undefined || reply.usage === undefined || reply.cost !== undefined) return reply;
    const cost = price({ model: reply.model ?? model, usage: reply.usage });
    return cost === undefined ? reply : { ...reply, cost };
  };

  return toClient({
    id: options.id ?? model,
    reasoningReplay: options.reasoningReplay,
    async reply(request, call) {
      const { signal, onDelta } = call;
      if (streaming === 'never' || (streaming === 'auto' && onDelta === undefined)) {
        const reply = await askWhole(line, prepare(request, call, false), signal);
        if (onDelta !== undefined) tell(reply, onDelta);
        return priced(reply);
      }
      const events = askStream(line, prepare(request, call, true), signal);
      return priced(await assemble(line, events, onDelta));
    },
    stream: (request, call) => askStream(line, prepare(request, call, true), call.signal),
    async contextLength({ signal }) {
      return options.contextLength?.((path, { body } = {}) => ask(line, path, body, signal));
    },
  });
}

async function askWhole(line: Line, request: WireRequest, signal: AbortSignal): Promise<WireReply> {
  const { url, deadlines, body } = dial(line, request, signal);
  try {
    const exchange = await sendRequest(line, { url, body, accept: 'application/json' }, deadlines);
    return await hearWhole(line, exchange);
  } finally {
    deadlines.stop();
  }
}

async function* askStream(
  line: Line,
  request: WireRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const { url, deadlines, body } = dial(line, request, signal);
  const accept = line.wire.framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson';
  try {
    const exchange = await sendRequest(line, { url, body, accept }, deadlines);
    yield* hearStream(line, exchange, deadlines);
  } finally {
    deadlines.stop();
  }
}

function dial(line: Line, request: WireRequest, caller: AbortSignal) {
  caller.throwIfAborted();
  const { wire, timeouts, startTimer } = line;
  const url = joinUrl(line.baseUrl, wire.path(request));
  const body = wire.encodeRequest(request);
  const where = publicUrl(url);
  const streamed = request.stream;
  const deadlines = new Deadlines({ caller, timeouts, streamed, where, startTimer });
  return { url, body, deadlines };
}

/** Longer than a server that lives needs to tell about itself. */
const askTimeout = 10_000;

async function ask(
  line: Line,
  path: string,
  body: ClientOptions['extra'],
  caller: AbortSignal,
): Promise<unknown> {
  const url = joinUrl(withoutVersion(line.baseUrl), path);
  const timeouts = { ...line.timeouts, total: Math.min(askTimeout, line.timeouts.total) };
  const { startTimer } = line;
  const where = publicUrl(url);
  const deadlines = new Deadlines({ caller, timeouts, streamed: false, where, startTimer });
  try {
    const request = { url, accept: 'application/json', ...(body !== undefined && { body }) };
    return (await hearJson(line, await sendRequest(line, request, deadlines))).parsed;
  } finally {
    deadlines.stop();
  }
}

async function assemble(
  line: Line,
  events: AsyncIterable<StreamEvent>,
  onDelta: CallOptions['onDelta'],
): Promise<WireReply> {
  const assembler = new ReplyAssembler(line.wire.name);
  let size = 0;
  for await (const event of events) {
    assembler.push(event);
    if (!('text' in event)) continue;
    size += event.text.length;
    if (size > line.maxReplyBytes) {
      const message = `The reply is longer than ${line.maxReplyBytes} characters.`;
      throw new ModelError({ kind: 'bad_response', message });
    }
    if (event.type !== 'args') onDelta?.({ type: event.type, text: event.text });
  }
  return assembler.reply();
}

function tell(reply: WireReply, onDelta: (delta: ModelDelta) => void) {
  for (const part of reply.content) {
    if (part.type === 'text' || part.type === 'reasoning') {
      onDelta({ type: part.type, text: part.text });
    }
  }
}
