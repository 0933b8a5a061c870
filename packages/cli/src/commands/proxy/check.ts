import { ForgeError } from '@forge/core';
import { createProxy, type ProxyEvent } from '@forge/proxy';
import type { CommandContext } from '../../context.ts';
import { advise } from './advise.ts';
import { askWindow } from './ask-backend.ts';
import { publicUrl } from './banner.ts';
import type { CheckReport } from './check-report.ts';
import { type OpenBackend, openBackend } from './open-backend.ts';
import { printCheck } from './print-check.ts';
import { toProxyOptions } from './proxy-options.ts';
import { serverKinds } from './server-kinds.ts';
import type { ProxySettings } from './settings.ts';
import { type Trial, tryToolCall } from './try-tool-call.ts';

/** Tries a tool call with and without the proxy. Rejects where none could be had. */
export async function check(
  settings: ProxySettings,
  { context, json }: { readonly context: CommandContext; readonly json: boolean },
): Promise<void> {
  const { signal, config } = context;
  const terminal = context.terminal();
  const backend = await openBackend(settings, {
    signal,
    addresses: config.backendAddresses,
    onStarting: ({ kind, model }) => terminal.err(`Starting ${kind} with ${model}…`),
  });
  try {
    if (!backend.known.reachable) {
      throw new ForgeError(
        'invalid_options',
        `Nobody answers at ${publicUrl(backend.known.url)}. Start the server, or say where it is with --backend-url.`,
      );
    }
    if (!json) terminal.err('Asking for a tool call, with and without the proxy…');
    const report = await examine(settings, backend, signal);
    if (json) terminal.out(JSON.stringify(report));
    else printCheck(terminal, report);
    if (!report.ok) {
      throw new ForgeError('model_failed', `No tool call could be had from ${report.model}.`);
    }
  } finally {
    if (backend.started !== undefined && !backend.started.reused) await backend.started.stop();
  }
}

async function examine(
  settings: ProxySettings,
  backend: OpenBackend,
  signal: AbortSignal,
): Promise<CheckReport> {
  const { wire } = backend;
  const model = backend.model ?? chatModel(backend.known.models) ?? 'default';
  const window = { ...backend.known, model, apiKey: settings.backendApiKey, signal };
  const contextLength = backend.known.contextLength ?? (await askWindow(window));
  const known = { ...backend.known, contextLength };
  const ask = (stream: boolean) =>
    tryToolCall({
      url: known.url,
      wire,
      model,
      apiKey: settings.backendApiKey,
      stream,
      toolChoice: 'auto',
      timeout: settings.backendTimeout,
      signal,
    });
  const streamed = await ask(true);
  const streaming = streamed.saw !== 'error';
  const direct = streaming ? streamed : await ask(false);
  const proxy = await throughProxy(settings, { backend, model, stream: streaming, signal });
  const found = {
    backend: { ...known, url: publicUrl(known.url), label: serverKinds[known.kind].label, wire },
    model,
    direct,
    streaming,
    proxy,
  };
  const ok = isCall(proxy.trial) || isCall(direct);
  return { ok, ...found, advice: advise(found, settings) };
}

/** The first model that is not there to make vectors of text. */
function chatModel(models: readonly string[]): string | undefined {
  return models.find((model) => !/embed/i.test(model)) ?? models[0];
}

/** The same of a proxy in this process. A model that only talks is asked once more, firmly. */
async function throughProxy(
  settings: ProxySettings,
  {
    backend,
    model,
    stream,
    signal,
  }: {
    readonly backend: OpenBackend;
    readonly model: string;
    readonly stream: boolean;
    readonly signal: AbortSignal;
  },
): Promise<CheckReport['proxy']> {
  const events: ProxyEvent[] = [];
  const { learn: _, apiKey: __, ...options } = toProxyOptions(settings, backend);
  const proxy = await createProxy({
    ...options,
    host: '127.0.0.1',
    port: 0,
    onEvent: (event) => events.push(event),
  });
  const ask = (toolChoice: 'auto' | 'required') =>
    tryToolCall({
      url: proxy.url,
      wire: 'openai-chat',
      model,
      apiKey: undefined,
      stream,
      toolChoice,
      timeout: undefined,
      signal,
    });
  let trial: Trial;
  let toolChoice: 'auto' | 'required' = 'auto';
  try {
    trial = await ask(toolChoice);
    if (trial.saw === 'answer') {
      toolChoice = 'required';
      trial = await ask(toolChoice);
    }
  } finally {
    await proxy.close();
  }
  const last = events.at(-1);
  return { trial, toolChoice, outcome: last?.outcome, attempts: last?.attempts ?? [] };
}

function isCall({ saw }: Trial): boolean {
  return saw === 'native';
}
