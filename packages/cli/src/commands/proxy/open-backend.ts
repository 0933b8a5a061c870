import { ForgeError } from '@forge/core';
import { type Backend, detectHardware, startBackend, suggestContext } from '@forge/models';
import type { WireName } from '../../project/proxy-names.ts';
import { askBackend, type KnownBackend } from './ask-backend.ts';
import type { BackendPlace } from './backend-place.ts';
import { findServers } from './find-servers.ts';
import { serverKinds } from './server-kinds.ts';
import type { ContextPlan, ProxySettings } from './settings.ts';

/** A backend to put the proxy in front of. */
export interface OpenBackend {
  readonly known: KnownBackend;
  readonly wire: WireName;
  /** The model to ask for, whatever the client says. */
  readonly model: string | undefined;
  /** Servers that were found as well, and not taken. */
  readonly others: readonly KnownBackend[];
  /** Where Forge started it, or found the one it had started. */
  readonly started: Backend | undefined;
}

/** Finds the backend, or starts it. */
export async function openBackend(
  settings: Pick<ProxySettings, 'place' | 'wire' | 'model' | 'backendApiKey'>,
  {
    signal,
    addresses,
    onStarting,
  }: {
    readonly signal: AbortSignal;
    /** Where to look, instead of the usual addresses. */
    readonly addresses?: readonly string[];
    /** Told before something that may take minutes. */
    readonly onStarting?: (place: Extract<BackendPlace, { type: 'start' }>) => void;
  },
): Promise<OpenBackend> {
  const { place, wire, model, backendApiKey: apiKey } = settings;
  const ask = (url: string, kind: Parameters<typeof askBackend>[0]['kind']) =>
    askBackend({ url, kind, wire, model, apiKey, signal });
  switch (place.type) {
    case 'at': {
      const known = await ask(place.url, place.kind);
      return { known, wire: wireFor(wire, known), model, others: [], started: undefined };
    }
    case 'look': {
      const [known, ...others] = await findServers({ addresses, signal });
      if (known === undefined) throw nothingFound();
      return { known, wire: wireFor(wire, known), model, others, started: undefined };
    }
    case 'start': {
      onStarting?.(place);
      const started = await start(place, signal);
      const known = await ask(started.url, place.kind);
      // vLLM knows its model by one name only; llama.cpp takes any.
      const pinned = model ?? (place.kind === 'vllm' ? place.model : undefined);
      return { known, wire: wireFor(wire, known), model: pinned, others: [], started };
    }
    default:
      return place satisfies never;
  }
}

function wireFor(said: WireName | undefined, { kind }: KnownBackend): WireName {
  return said ?? serverKinds[kind].wire;
}

async function start(
  { kind, model, port, context, flags }: Extract<BackendPlace, { type: 'start' }>,
  signal: AbortSignal,
): Promise<Backend> {
  const contextLength = await contextFor(context);
  return startBackend({
    kind,
    model,
    port,
    contextLength,
    extraFlags: flags,
    signal,
    // One request with the whole window, rather than several with a part of it each.
    ...(kind !== 'vllm' && { parallel: 1 }),
  });
}

/** Undefined: what the server gives by itself. */
async function contextFor(plan: ContextPlan): Promise<number | undefined> {
  switch (plan.mode) {
    case 'backend':
      return undefined;
    case 'manual':
      return plan.tokens;
    case 'forge-full':
      return suggestContext({ hardware: await detectHardware() });
    case 'forge-fast':
      return Math.floor(suggestContext({ hardware: await detectHardware() }) / 2);
    default:
      return plan satisfies never;
  }
}

function nothingFound(): ForgeError {
  return new ForgeError(
    'invalid_options',
    [
      'No model server was found on this machine (llama-server, Ollama, vLLM, LM Studio).',
      'Start one and run this again, or say where it is:',
      '  forge proxy --backend-url http://127.0.0.1:8080',
      '  forge proxy --gguf models/qwen3-8b-q4_k_m.gguf     starts llama-server with it',
    ].join('\n'),
  );
}
