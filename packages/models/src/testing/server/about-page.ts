import type { JsonObject } from '@forge/core';
import type { AboutPage } from './read-route.ts';

/** What servers of all kinds tell about a model, in each one's words for its context window. */
export function aboutPage(
  page: AboutPage,
  model: string,
  contextLength: number | undefined,
): JsonObject {
  switch (page) {
    case 'props':
      return {
        default_generation_settings: said({ n_ctx: contextLength }),
        total_slots: 1,
        model_path: model,
        build_info: 'scripted',
      };
    case 'models':
      return { object: 'list', data: [listed(model, contextLength)] };
    case 'model':
      return listed(model, contextLength);
    case 'show':
      return {
        details: { format: 'gguf', family: 'scripted' },
        parameters: contextLength === undefined ? '' : `num_ctx ${contextLength}`,
        model_info: {
          'general.architecture': 'scripted',
          ...said({ 'scripted.context_length': contextLength }),
        },
        capabilities: ['completion', 'tools', 'thinking'],
      };
    case 'running':
      return { models: [{ name: model, model, ...said({ context_length: contextLength }) }] };
    case 'version':
      return { version: '0.0.0-scripted' };
    default:
      return page satisfies never;
  }
}

function listed(model: string, contextLength: number | undefined): JsonObject {
  return {
    id: model,
    name: `models/${model}`,
    object: 'model',
    type: 'model',
    created: 0,
    owned_by: 'scripted',
    ...said({
      max_model_len: contextLength,
      context_length: contextLength,
      context_window: contextLength,
      loaded_context_length: contextLength,
      max_input_tokens: contextLength,
      inputTokenLimit: contextLength,
    }),
  };
}

function said(fields: Readonly<Record<string, number | undefined>>): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}
