import { resolve } from 'node:path';
import type { BackendName } from '../../project/proxy-names.ts';
import { UsageError } from '../../usage-error.ts';
import type { ContextPlan } from './settings.ts';

/** A server that can be started on this machine. */
export type StartedKind = 'llamaserver' | 'llamafile' | 'vllm';

/** Where the backend is, or how to get one. */
export type BackendPlace =
  /** `kind` is undefined where nobody said: the server is asked. */
  | { readonly type: 'at'; readonly url: string; readonly kind: BackendName | undefined }
  | {
      readonly type: 'start';
      readonly kind: StartedKind;
      /** A file, or for vLLM a folder or a name on the hub. */
      readonly model: string;
      readonly port: number | undefined;
      readonly context: ContextPlan;
      readonly flags: readonly string[];
    }
  /** The usual addresses are tried. */
  | { readonly type: 'look' };

/** What flags or a profile say about it. */
export interface SaidPlace {
  readonly url?: string;
  readonly kind?: BackendName;
  readonly gguf?: string;
  readonly modelPath?: string;
  readonly model?: string;
  readonly port?: number;
  readonly budgetMode?: ContextPlan['mode'];
  readonly budgetTokens?: number;
  readonly flags?: readonly string[];
  /** Where relative paths begin. */
  readonly folder: string;
}

/** Where each kind is unless told otherwise. Sources: the documentation of each. */
export const usualAddress: Readonly<Record<BackendName, string>> = {
  llamaserver: 'http://127.0.0.1:8080',
  llamafile: 'http://127.0.0.1:8080',
  ollama: 'http://127.0.0.1:11434',
  vllm: 'http://127.0.0.1:8000',
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
  gemini: 'https://generativelanguage.googleapis.com',
};

/**
 * One place from what was said. What has no effect there is an error, so that nobody waits for
 * an effect it does not have.
 */
export function backendPlace(said: SaidPlace): BackendPlace {
  const { url, kind, port } = said;
  const file = said.gguf ?? said.modelPath;
  if (url !== undefined) {
    refuse(said, ['gguf', 'modelPath', 'port'], 'the server at --backend-url runs already');
    return { type: 'at', url, kind };
  }
  const starts = file ?? (namesItsModel(said) ? said.model : undefined);
  if (starts !== undefined) {
    const model = file === undefined ? starts : pathOf(file, kind, said.folder);
    const flags = said.flags ?? [];
    return { type: 'start', kind: startedKind(said), model, port, context: plan(said), flags };
  }
  const why = 'no server is started without --gguf or --model-path';
  refuse(said, [], why);
  if (kind === undefined) {
    if (port !== undefined) throw new UsageError('--backend-port needs --backend.');
    return { type: 'look' };
  }
  const address = new URL(usualAddress[kind]);
  if (port !== undefined) {
    if (address.protocol === 'https:') {
      throw new UsageError(`--backend-port is for servers on this machine, not for ${kind}.`);
    }
    address.port = String(port);
  }
  return { type: 'at', url: address.href.replace(/\/$/, ''), kind };
}

/** vLLM is started with the name of a model; llama.cpp needs a file, which may be given as name. */
function namesItsModel({ kind, model }: SaidPlace): boolean {
  if (kind === 'vllm') return model !== undefined;
  return (kind === 'llamaserver' || kind === 'llamafile') && /\.gguf$/i.test(model ?? '');
}

function startedKind({ kind, gguf, modelPath }: SaidPlace): StartedKind {
  if (kind === 'llamaserver' || kind === 'llamafile' || kind === 'vllm') {
    if (kind === 'vllm' && gguf !== undefined) {
      throw new UsageError('--gguf is for llamaserver and llamafile; for vllm use --model-path.');
    }
    return kind;
  }
  if (kind !== undefined) {
    throw new UsageError(
      `${kind} is not started by forge. Leave out ${gguf === undefined ? '--model-path' : '--gguf'}, or use --backend llamaserver, llamafile or vllm.`,
    );
  }
  if (gguf !== undefined || /\.gguf$/i.test(modelPath ?? '')) return 'llamaserver';
  throw new UsageError(
    'Say what to start with --model-path: --backend llamaserver, llamafile or vllm.',
  );
}

/** A name on the hub looks like a relative path, so for vLLM only what begins as one is taken for it. */
function pathOf(file: string, kind: BackendName | undefined, folder: string): string {
  return kind === 'vllm' && !/^\.{0,2}\//.test(file) ? file : resolve(folder, file);
}

function plan({ budgetMode, budgetTokens: tokens }: SaidPlace): ContextPlan {
  const mode = budgetMode ?? (tokens === undefined ? 'backend' : 'manual');
  if (mode !== 'manual') {
    if (tokens !== undefined) {
      throw new UsageError(`--budget-tokens is for --budget-mode manual, not ${mode}.`);
    }
    return { mode };
  }
  if (tokens === undefined) throw new UsageError('--budget-mode manual needs --budget-tokens.');
  return { mode, tokens };
}

const flagOf = {
  gguf: '--gguf',
  modelPath: '--model-path',
  port: '--backend-port',
  budgetMode: '--budget-mode',
  budgetTokens: '--budget-tokens',
} as const;

function refuse(said: SaidPlace, also: readonly (keyof typeof flagOf)[], why: string) {
  for (const key of ['budgetMode', 'budgetTokens', ...also] as const) {
    if (said[key] !== undefined) throw new UsageError(`${flagOf[key]} has no effect: ${why}.`);
  }
  if ((said.flags?.length ?? 0) > 0) {
    throw new UsageError(`Flags for the server have no effect: ${why}.`);
  }
}
