import { ForgeError, isJsonObject, type JsonObject, type ReasoningReplay } from '@forge/core';
import { createClient } from '../client/create-client.ts';
import type { StartTimer, Timeouts } from '../client/deadlines.ts';
import type { CallSettings, ModelClient } from '../client/model-client.ts';
import { mergeCallSettings } from '../client/prepare-request.ts';
import { createTransport, type Transport } from '../client/transport.ts';
import { type ReadVariable, readEnvironment } from '../config.ts';
import { createLocalModel } from '../embedded/create-local-model.ts';
import type { OnModelEvent } from '../policy/model-event.ts';
import { reasoningReplayFor } from '../policy/reasoning-replay.ts';
import {
  smallBounds,
  toolsInPrompt,
  withConcessions,
  withoutForcedCall,
  withoutReasoning,
  withoutReplay,
} from '../policy/with-concessions.ts';
import { type ConstrainPolicy, withConstrainedCalls } from '../policy/with-constrained-calls.ts';
import { listedContextWindow, priceOf } from '../prices/price-of.ts';
import { type RetryOptions, withRetry } from '../retry/with-retry.ts';
import { samplingFor } from '../sampling/sampling-for.ts';
import { createScriptedModel } from '../scripted/create-scripted-model.ts';
import { askWindow } from './ask-window.ts';
import { type ModelName, parseModelName } from './parse-model-name.ts';
import { resolveBaseUrl } from './resolve-base-url.ts';
import { resolveKey } from './resolve-key.ts';
import { wireOf } from './wire-of.ts';

export interface CreateModelOptions extends CallSettings {
  /** Instead of the provider's variable. */
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `connect` is for a transport of its own; it has no effect on one that is given. */
  readonly timeouts?: Timeouts & { readonly connect?: number };
  /** `false` for none. */
  readonly retry?: RetryOptions | false;
  /** `auto`: native until the server says that this model has none. */
  readonly toolMode?: 'native' | 'prompt' | 'auto';
  readonly constrain?: ConstrainPolicy;
  /** The model card's advice on sampling, below the settings given here. */
  readonly sampling?: 'off' | 'known' | 'strict';
  /** By the model's family if not set. */
  readonly reasoningReplay?: ReasoningReplay;
  /** The context window, instead of asking. Ollama is told to provide it. */
  readonly contextTokens?: number;
  readonly streaming?: 'auto' | 'always' | 'never';
  readonly maxReplyBytes?: number;
  readonly transport?: Transport;
  readonly onEvent?: OnModelEvent;
  readonly readVariable?: ReadVariable;
  readonly startTimer?: StartTimer;
}

/**
 * A model by its name: `ollama:qwen3:8b`, `anthropic:claude-sonnet-4-5`, `openai:gpt-5`,
 * `llamacpp:http://127.0.0.1:8080`, `openai-compatible:http://host/v1#model`,
 * `local:PATH.gguf` for a model in this process, with no server, or `scripted:PATH.yaml` for one
 * that says what a file tells it to (for demos and tests). A provider nobody knows is
 * `invalid_options`; a missing key is a `ModelError` of kind `auth` that names the
 * variable to set. Nothing is sent before the first call.
 *
 * @example
 * const model = createModel('ollama:qwen3:8b', { settings: { temperature: 0 } });
 */
export function createModel(name: string, options: CreateModelOptions = {}): ModelClient {
  if (name.startsWith('local:')) return openLocal(name.slice('local:'.length), options);
  if (name.startsWith('scripted:')) return openScripted(name.slice('scripted:'.length));
  const parsed = parseModelName(name);
  const { profile } = parsed;
  const { constrain = 'off', toolMode = 'auto', retry, onEvent } = options;
  if (constrain !== 'off' && !profile.constrains) {
    throw new ForgeError(
      'invalid_options',
      `${parsed.provider} cannot hold a reply to a schema: leave out constrain.`,
    );
  }
  let client = connect(publicName(name), parsed, options);
  if (retry !== false) client = withRetry(client, { onRetry: onEvent, ...retry });
  client = withConcessions(client, {
    concessions: [
      withoutReasoning,
      withoutReplay,
      withoutForcedCall,
      smallBounds,
      ...(toolMode === 'auto' ? [toolsInPrompt] : []),
    ],
    made: toolMode === 'prompt' ? [toolsInPrompt] : [],
    onEvent,
  });
  if (constrain === 'off') return client;
  return withConstrainedCalls(client, { policy: constrain, onEvent });
}

/** A GGUF file in this process. What concerns servers has no say here. */
function openLocal(path: string, options: CreateModelOptions): ModelClient {
  if (path === '') {
    throw new ForgeError('invalid_options', 'Write it like local:models/qwen3-8b.gguf.');
  }
  const { settings, responseFormat, contextTokens, constrain = 'off', onEvent } = options;
  const model = createLocalModel(path, { settings, responseFormat, contextLength: contextTokens });
  return constrain === 'off' ? model : withConstrainedCalls(model, { policy: constrain, onEvent });
}

/** A file with all that is said. No setting has a say in it. */
function openScripted(path: string): ModelClient {
  if (path === '') {
    throw new ForgeError('invalid_options', 'Write it like scripted:story.yaml.');
  }
  return createScriptedModel(path);
}

/** The name for events and messages, without the password an address may hold. */
function publicName(name: string): string {
  return name.replace(/(https?:\/\/)[^/@#]*@/, '$1');
}

/** The bare client: one request per call. */
function connect(name: string, parsed: ModelName, options: CreateModelOptions): ModelClient {
  const { profile, model } = parsed;
  const { readVariable = readEnvironment, timeouts = {}, contextTokens, onEvent } = options;
  const key = resolveKey(parsed, options.apiKey, readVariable);
  const told = new Set<string>();
  return createClient({
    ...callSettings(parsed, options),
    id: name,
    wire: wireOf(profile),
    model,
    baseUrl: resolveBaseUrl(parsed, options.baseUrl, readVariable),
    headers: { ...profile.headers, ...key.headers, ...options.headers },
    authHint: key.hint,
    timeouts,
    transport:
      options.transport ??
      (timeouts.connect === undefined
        ? undefined
        : createTransport({ connectTimeout: timeouts.connect })),
    reasoningReplay: options.reasoningReplay ?? reasoningReplayFor(model).replay,
    streaming: options.streaming,
    maxReplyBytes: options.maxReplyBytes,
    startTimer: options.startTimer,
    unsupportedSettings: profile.unsupportedSettings,
    onSettingsDropped: (settings) => {
      const fresh = settings.filter((setting) => !told.has(setting));
      for (const setting of fresh) told.add(setting);
      if (fresh.length > 0) onEvent?.({ type: 'settings_dropped', model: name, settings: fresh });
    },
    price: (call) =>
      priceIn(profile.priceList, call) ?? priceIn(profile.priceList, { ...call, model }),
    contextLength: async (ask) =>
      contextTokens ??
      (await askWindow(profile.window, model, ask)) ??
      listedContextWindow(model, profile.priceList),
  });
}

function priceIn(
  provider: string | undefined,
  call: Omit<Parameters<typeof priceOf>[0], 'provider'>,
) {
  const price = priceOf({ ...call, provider });
  return 'cost' in price ? price.cost : undefined;
}

/** The card's advice, then the caller's word, then the window Ollama has to be told about. */
function callSettings({ profile, model }: ModelName, options: CreateModelOptions): CallSettings {
  const { sampling = 'off', contextTokens } = options;
  const advice =
    sampling === 'off' ? undefined : samplingFor(model, { strict: sampling === 'strict' });
  // Fields for chat templates are known to servers of the chat wire only.
  const advised: CallSettings = {
    settings: advice?.settings ?? {},
    extra: profile.wire.name === 'openai-chat' ? (advice?.extra ?? {}) : {},
  };
  const { settings, responseFormat, reasoning, parallelToolCalls, extra = {} } = options;
  const merged = mergeCallSettings(advised, {
    settings,
    responseFormat,
    reasoning,
    parallelToolCalls,
    extra,
  });
  if (profile.window !== 'ollama' || contextTokens === undefined) return merged;
  return { ...merged, extra: { ...merged.extra, options: ollamaOptions(extra, contextTokens) } };
}

function ollamaOptions({ options }: JsonObject, contextTokens: number): JsonObject {
  return { num_ctx: contextTokens, ...(isJsonObject(options) ? options : {}) };
}
