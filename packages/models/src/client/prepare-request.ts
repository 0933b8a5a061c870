import type { ModelRequest } from '@forge/core';
import type { Settings, WireRequest } from '../wire/wire.ts';
import { definedFields } from './defined-fields.ts';
import type { CallSettings } from './model-client.ts';

/**
 * What goes over the wire: the kernel's request, what the client was set to send, and what this
 * call says instead. Changes none of them.
 */
export function prepareRequest({
  model,
  request,
  defaults,
  overrides = {},
  stream,
}: {
  readonly model: string;
  readonly request: ModelRequest;
  readonly defaults: CallSettings;
  readonly overrides?: CallSettings;
  readonly stream: boolean;
}): WireRequest {
  const { settings, extra, ...rest } = mergeCallSettings(defaults, overrides);
  const { responseFormat, reasoning, parallelToolCalls } = rest;
  return {
    model,
    messages: request.messages,
    tools: request.tools,
    toolChoice: request.toolChoice,
    settings: settings ?? {},
    extra: extra ?? {},
    stream,
    ...(responseFormat != null && { responseFormat }),
    ...(reasoning != null && { reasoning }),
    ...(parallelToolCalls != null && { parallelToolCalls }),
  };
}

/** Both, the second winning. Settings and extra fields are merged one by one. */
export function mergeCallSettings(first: CallSettings, second: CallSettings): CallSettings {
  return {
    ...first,
    ...definedFields(second),
    settings: definedFields({ ...first.settings, ...definedFields(second.settings ?? {}) }),
    extra: { ...first.extra, ...second.extra },
  };
}

/** The settings without those a server does not take, and the names of what was left out. */
export function dropSettings(
  settings: Settings,
  unsupported: readonly (keyof Settings)[] = [],
): { readonly kept: Settings; readonly dropped: readonly (keyof Settings)[] } {
  const dropped = unsupported.filter((name) => settings[name] !== undefined);
  if (dropped.length === 0) return { kept: settings, dropped };
  const absent = Object.fromEntries(dropped.map((name) => [name, undefined]));
  return { kept: definedFields({ ...settings, ...absent }), dropped };
}
