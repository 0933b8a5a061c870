import { isJsonObject, type JsonObject } from '@forge/core';
import { createModel, withoutVersion } from '@forge/models';
import type { BackendName, WireName } from '../../project/proxy-names.ts';
import { type Answer, askJson } from './ask-json.ts';
import { keyHeaders } from './key-headers.ts';
import { type ServerKind, serverKinds } from './server-kinds.ts';

/** What a server says about itself. */
export interface KnownBackend {
  readonly url: string;
  /** It answered, be it with a no. */
  readonly reachable: boolean;
  /** It wants a key, or another one. */
  readonly refusesKey: boolean;
  readonly kind: ServerKind;
  readonly models: readonly string[];
  /** Tokens, of the model asked about or the only one. */
  readonly contextLength: number | undefined;
  /** Requests it works on at once, where it tells. */
  readonly slots: number | undefined;
}

const usualPatience = 3_000;

/**
 * Asks a server what it is, which models it has, and how long its context is. Never rejects,
 * unless aborted. A kind that is given is believed; services on the internet are asked for
 * their models only.
 */
export async function askBackend(options: {
  readonly url: string;
  readonly kind?: BackendName;
  readonly wire?: WireName;
  readonly apiKey?: string;
  readonly model?: string;
  /** Milliseconds for each question. */
  readonly timeout?: number;
  readonly signal: AbortSignal;
}): Promise<KnownBackend> {
  const { url, apiKey, timeout = usualPatience, signal } = options;
  const root = withoutVersion(url).replace(/\/+$/, '');
  const wire = options.wire ?? serverKinds[options.kind ?? 'unknown'].wire;
  const ask = (path: string) =>
    askJson(root + path, { headers: keyHeaders(wire, apiKey), timeout, signal });
  const isService = options.kind !== undefined && isServiceKind(options.kind);
  const nothing: Promise<Answer | undefined> = Promise.resolve(undefined);
  const [list, props, version, studio] = await Promise.all([
    ask(wire === 'gemini' ? '/v1beta/models' : '/v1/models'),
    isService ? nothing : ask('/props'),
    isService ? nothing : ask('/api/version'),
    isService ? nothing : ask('/api/v0/models'),
  ]);
  const answers = { list, props, version, studio };
  const kind = options.kind ?? recognise(answers);
  const models = modelsIn(list);
  const model = options.model ?? (models.length === 1 ? models[0] : undefined);
  const slots = objectIn(props)?.total_slots;
  return {
    url,
    reachable: Object.values(answers).some((answer) => answer !== undefined),
    refusesKey: list?.status === 401 || list?.status === 403,
    kind,
    models,
    contextLength: list && (await askWindow({ url: root, kind, model, apiKey, signal })),
    slots: typeof slots === 'number' && Number.isInteger(slots) && slots > 0 ? slots : undefined,
  };
}

function isServiceKind(kind: BackendName): boolean {
  return kind === 'openai' || kind === 'anthropic' || kind === 'gemini';
}

type Answers = Readonly<Record<'list' | 'props' | 'version' | 'studio', Answer | undefined>>;

/** By what only one kind answers. Servers that know none of the questions say 404 to them. */
function recognise({ list, props, version, studio }: Answers): ServerKind {
  const [first] = entriesIn(list);
  if (first?.owned_by === 'vllm') return 'vllm';
  if (isJsonObject(objectIn(props)?.default_generation_settings)) return 'llamaserver';
  if (typeof objectIn(version)?.version === 'string') return 'ollama';
  if (entriesIn(studio).length > 0) return 'lmstudio';
  return 'unknown';
}

function objectIn(answer: Answer | undefined): JsonObject | undefined {
  return answer?.status === 200 && isJsonObject(answer.body) ? answer.body : undefined;
}

/** OpenAI and Anthropic call the list `data`, Gemini `models`, Together sends it bare. */
function entriesIn(answer: Answer | undefined): readonly JsonObject[] {
  if (answer?.status !== 200) return [];
  const { body } = answer;
  const list = isJsonObject(body) ? (body.data ?? body.models) : body;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function modelsIn(answer: Answer | undefined): readonly string[] {
  return entriesIn(answer).flatMap(({ id, name }) => {
    if (typeof id === 'string') return [id];
    return typeof name === 'string' ? [name.replace(/^models\//, '')] : [];
  });
}

/** How long a context a server gives a model. Undefined where it does not say. */
export async function askWindow({
  url,
  kind,
  model,
  apiKey,
  signal,
}: {
  readonly url: string;
  readonly kind: ServerKind;
  readonly model: string | undefined;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}): Promise<number | undefined> {
  const hasOneWindow = kind === 'llamaserver' || kind === 'llamafile';
  if (model === undefined && !hasOneWindow) return undefined;
  try {
    const asked = createModel(`${serverKinds[kind].provider}:${url}#${model ?? ''}`, {
      ...(apiKey !== undefined && { apiKey }),
      retry: false,
      // Keys and addresses of the environment are for other servers.
      readVariable: () => undefined,
    });
    return await asked.contextLength({ signal });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
