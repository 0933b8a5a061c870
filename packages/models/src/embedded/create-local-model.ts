import { basename } from 'node:path';
import { createSlot, ForgeError, type ModelRequest } from '@forge/core';
import {
  type CallOptions,
  type CallSettings,
  type ModelClient,
  toClient,
} from '../client/model-client.ts';
import { mergeCallSettings } from '../client/prepare-request.ts';
import { promptTools } from '../policy/prompt-tools.ts';
import { ModelError } from '../wire/model-error.ts';
import type { StreamEvent, WireReply } from '../wire/wire.ts';
import { type OpenedWeights, type OpenOptions, openWeights } from './open-weights.ts';
import { speak } from './speak.ts';
import { streamFrom } from './stream-from.ts';

export interface LocalModelOptions extends CallSettings, Omit<OpenOptions, 'path'> {
  /** How the model is called in events. Default `local:` and the name of the file. */
  readonly id?: string;
}

export interface LocalModel extends ModelClient {
  /** Stops what is being said and frees the memory. Calls after it are refused. */
  dispose(): Promise<void>;
}

/**
 * A GGUF file as a model, in this process, with no server. It is loaded at the first use. Calls
 * take turns, since there is one context. Tools are described in the prompt and calls come back
 * as text, which the kernel's rescue reads; a `responseFormat` becomes a grammar the reply cannot
 * leave. Needs `node-llama-cpp`.
 *
 * @example
 * const model = createLocalModel('models/qwen3-8b-q4_k_m.gguf', { settings: { temperature: 0 } });
 * const result = await run(agent, 'Will it rain in Oslo?', { model });
 * await model.dispose();
 */
export function createLocalModel(path: string, options: LocalModelOptions = {}): LocalModel {
  const id = options.id ?? `local:${basename(path)}`;
  const slot = createSlot();
  const disposal = new AbortController();
  let opened: OpenedWeights | undefined;

  /** Runs `use` alone, on weights that are in memory. */
  async function alone<T>(
    caller: AbortSignal,
    use: (opened: OpenedWeights, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const signal = AbortSignal.any([caller, disposal.signal]);
    signal.throwIfAborted();
    const hold = await slot.acquire({ signal });
    try {
      opened ??= await openWeights({ ...options, path }, signal);
      return await use(opened, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw toError(error);
    } finally {
      hold.release();
    }
  }

  function ask(
    request: ModelRequest,
    { signal: caller, overrides = {} }: CallOptions,
    onEvent: (event: StreamEvent) => void,
  ): Promise<WireReply> {
    const { settings = {}, responseFormat } = mergeCallSettings(options, overrides);
    return alone(caller, (weights, signal) =>
      speak(weights, {
        model: id,
        request: promptTools(request),
        settings,
        responseFormat: responseFormat ?? undefined,
        signal,
        onEvent,
      }),
    );
  }

  const client = toClient({
    id,
    reply: (request, call) =>
      ask(request, call, (event) => {
        if (event.type === 'text' || event.type === 'reasoning') call.onDelta?.(event);
      }),
    stream: (request, call) =>
      streamFrom((signal, onEvent) => ask(request, { ...call, signal }, onEvent), call.signal),
    contextLength: async ({ signal }) =>
      opened?.contextLength ?? alone(signal, async ({ contextLength }) => contextLength),
  });

  return {
    ...client,
    async dispose() {
      disposal.abort(new ForgeError('cancelled', `The local model ${id} was disposed of.`));
      await slot.stop();
      const last = opened;
      opened = undefined;
      await last?.llama.dispose();
    },
  };
}

/** The engine's own failures in our terms. What is a `ForgeError` already says what to do. */
function toError(error: unknown): unknown {
  if (ForgeError.is(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ModelError(
    { kind: 'unavailable', message: `The local model failed: ${message}` },
    { cause: error },
  );
}
