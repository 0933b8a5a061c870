import { dirname, relative, resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import { definedFields } from '../../defined-fields.ts';
import { type BackendName, backendKinds } from '../../project/proxy-names.ts';
import type { ProxyProfile } from '../../project/proxy-section.ts';
import type { KnownBackend } from './ask-backend.ts';
import type { InitFlags, NamedProfile } from './init.ts';

/** A profile from flags alone, or for the first server that was found. */
export function suggestProfile(
  flags: InitFlags,
  {
    servers,
    taken,
    cwd,
    file,
  }: {
    readonly servers: readonly KnownBackend[];
    readonly taken: readonly string[];
    readonly cwd: string;
    readonly file: string;
  },
): NamedProfile {
  const backend = saidBackend(flags, { cwd, file }) ?? foundBackend(servers[0]);
  if (backend === undefined) {
    throw new ForgeError(
      'invalid_options',
      'No model server was found on this machine. Start one, or say which: --backend-url http://127.0.0.1:8080',
    );
  }
  const profile = withFlags(backend, flags);
  return { name: flags.profile ?? freeName(profile, taken), profile };
}

/** What flags say about the backend. */
export function saidBackend(
  { backendUrl, backend, gguf }: InitFlags,
  { cwd, file }: { readonly cwd: string; readonly file: string },
): ProxyProfile['backend'] {
  if (backendUrl === undefined && backend === undefined && gguf === undefined) return undefined;
  return definedFields({
    url: backendUrl,
    kind: backend ?? (gguf === undefined ? undefined : 'llamaserver'),
    gguf: gguf === undefined ? undefined : pathIn(file, resolve(cwd, gguf)),
  });
}

/** A path as the profile has it: from the folder of its file, so that both can move together. */
export function pathIn(file: string, path: string): string {
  const short = relative(dirname(file), path);
  return short.startsWith('..') ? path : short;
}

export function foundBackend(server: KnownBackend | undefined): ProxyProfile['backend'] {
  if (server === undefined) return undefined;
  const kind = isBackendName(server.kind) ? server.kind : undefined;
  return definedFields({ url: server.url, kind });
}

function isBackendName(kind: KnownBackend['kind']): kind is BackendName {
  return backendKinds.some((known) => known === kind);
}

/** The rest of what flags say. */
export function withFlags(
  backend: NonNullable<ProxyProfile['backend']>,
  flags: InitFlags,
): ProxyProfile {
  return definedFields({
    backend: definedFields({
      ...backend,
      wire: flags.backendWire,
      model: flags.model ?? backend.model,
      apiKeyEnv: flags.backendApiKeyEnv,
    }),
    port: flags.port,
    apiKeyEnv: flags.apiKeyEnv,
    sessions: flags.sessions,
  });
}

/** The kind of the backend, with a number if that is taken. */
export function freeName({ backend }: ProxyProfile, taken: readonly string[]): string {
  const base = backend?.kind ?? 'local';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(name)) return name;
  }
}
