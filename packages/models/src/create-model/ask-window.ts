import * as z from 'zod';
import type { AskServer } from '../client/client-options.ts';
import { ModelError } from '../wire/model-error.ts';
import type { WindowQuery } from './profile.ts';

/** A number of tokens, also where a server sends it as text. Nonsense is as good as nothing. */
const tokens = z.coerce.number().int().positive().optional().catch(undefined);

const propsSchema = z.looseObject({
  default_generation_settings: z.looseObject({ n_ctx: tokens }).optional().catch(undefined),
});
const listedModel = z.looseObject({
  id: z.string(),
  max_model_len: tokens,
  context_length: tokens,
  context_window: tokens,
  loaded_context_length: tokens,
  max_context_length: tokens,
  /** llama.cpp: what a slot has. */
  meta: z.looseObject({ n_ctx: tokens }).optional().catch(undefined),
});
/** Together sends the bare list. */
const listSchema = z.union([
  z.looseObject({ data: z.array(listedModel) }).transform(({ data }) => data),
  z.array(listedModel),
]);
const runningSchema = z.looseObject({
  models: z.array(
    z.looseObject({ name: z.string(), model: z.string().optional(), context_length: tokens }),
  ),
});
const shownSchema = z.looseObject({
  parameters: z.string().optional().catch(undefined),
  model_info: z.record(z.string(), z.unknown()).optional().catch(undefined),
});
const anthropicSchema = z.looseObject({ max_input_tokens: tokens });
const geminiSchema = z.looseObject({ inputTokenLimit: tokens });

/**
 * Asks a server for the context window it really gives a model. Undefined where it does not say,
 * is too old to know the question, or answers in another shape.
 */
export async function askWindow(
  query: WindowQuery,
  model: string,
  ask: AskServer,
): Promise<number | undefined> {
  switch (query) {
    case 'llama-props': {
      const props = propsSchema.safeParse(await tried(ask('/props')));
      return props.data?.default_generation_settings?.n_ctx;
    }
    case 'ollama':
      return askOllama(model, ask);
    case 'lmstudio': {
      const listed = find(await tried(ask('/api/v0/models')), model);
      return listed?.loaded_context_length ?? listed?.max_context_length;
    }
    case 'models-list':
      return askList(model, ask);
    case 'anthropic': {
      const path = `/v1/models/${encodeURIComponent(model)}`;
      const told = anthropicSchema.safeParse(await tried(ask(path))).data?.max_input_tokens;
      return told ?? askList(model, ask); // Local servers of this wire know the list only.
    }
    case 'gemini': {
      const resource = model.includes('/') ? model : `models/${model}`;
      return geminiSchema.safeParse(await tried(ask(`/v1beta/${encodeURI(resource)}`))).data
        ?.inputTokenLimit;
    }
    case 'none':
      return undefined;
    default:
      return query satisfies never;
  }
}

/** Ollama's window where neither the model nor the server's owner said otherwise (its FAQ). */
const ollamaDefault = 4096;

/**
 * Ollama cuts what does not fit without a word, so what a model could take says nothing: what it
 * was loaded with does. Before it is loaded that is the `num_ctx` of its file, or the server's
 * own default, of which only the lower bound is known from here.
 */
async function askOllama(model: string, ask: AskServer): Promise<number | undefined> {
  const names = [model, `${model}:latest`];
  const running = runningSchema.safeParse(await tried(ask('/api/ps'))).data?.models ?? [];
  const loaded = running.find((one) => names.includes(one.name) || names.includes(one.model ?? ''));
  if (loaded?.context_length !== undefined) return loaded.context_length;
  const shown = shownSchema.safeParse(await tried(ask('/api/show', { body: { model } }))).data;
  if (shown === undefined) return undefined;
  const set = /^num_ctx\s+(\d+)/m.exec(shown.parameters ?? '')?.[1];
  if (set !== undefined) return Number(set);
  const most = Object.entries(shown.model_info ?? {}).find(([key]) =>
    key.endsWith('.context_length'),
  );
  return Math.min(ollamaDefault, tokens.parse(most?.[1]) ?? ollamaDefault);
}

async function askList(model: string, ask: AskServer): Promise<number | undefined> {
  const listed = find(await tried(ask('/v1/models')), model);
  const window = listed?.max_model_len ?? listed?.context_length ?? listed?.context_window;
  return window ?? listed?.meta?.n_ctx;
}

function find(answer: unknown, model: string) {
  const models = listSchema.safeParse(answer).data ?? [];
  return models.find((one) => one.id === model) ?? (models.length === 1 ? models[0] : undefined);
}

/** The answer, or nothing where the server refuses the question. */
async function tried(answer: Promise<unknown>): Promise<unknown> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ModelError) return undefined;
    throw error;
  }
}
