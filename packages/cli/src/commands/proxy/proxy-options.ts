import type { ProxyOptions } from '@forge/proxy';
import { definedFields } from '../../defined-fields.ts';
import type { OpenBackend } from './open-backend.ts';
import type { ProxySettings } from './settings.ts';

/** What the library is told. */
export function toProxyOptions(
  settings: ProxySettings,
  { known, wire, model, started }: OpenBackend,
): ProxyOptions {
  return definedFields({
    backend: definedFields({
      url: known.url,
      wire,
      model,
      apiKey: settings.backendApiKey,
      tools: settings.tools,
      timeout: settings.backendTimeout,
      connectTimeout: settings.connectTimeout,
    }),
    host: settings.host,
    port: settings.port,
    apiKey: settings.apiKey,
    guard: settings.guard,
    limits: settings.limits,
    // A server of one slot would make them wait anyhow, without knowing which matters more.
    serialize: settings.serialize ?? (started !== undefined && known.slots === 1),
    sessions: settings.sessions,
    learn: settings.learn,
  });
}
