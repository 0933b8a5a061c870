import type { JsonValue } from '@forge/core';
import { parseBytes } from '../../parse-bytes.ts';

/** What a key of agent-forge.toml holds. */
export type Kind = 'text' | 'whole' | 'number' | 'switch';

export interface OldKey {
  readonly kind: Kind;
  /** Its counterpart. Undefined: there is none, and `instead` says what there is. */
  readonly path?: readonly string[];
  /** Undefined: says nothing. */
  readonly value?: (old: JsonValue) => JsonValue | undefined;
  readonly instead?: string;
}

const mebibyte = 1024 ** 2;
const later = 'there is no counterpart yet';

/** Empty means "not set" in those files. */
const unlessEmpty = (old: JsonValue) => (old === '' ? undefined : old);

const backendOf: Readonly<Record<string, string>> = { bwrap: 'bubblewrap' };

/** Every key of the earlier system's files by section, with its counterpart. */
export const oldKeys: Readonly<Record<string, Readonly<Record<string, OldKey>>>> = {
  agent: {
    max_iterations: { kind: 'whole', path: ['agents', 'agent', 'max_iterations'] },
    max_tokens_per_run: { kind: 'whole', path: ['runtime', 'max_agent_tokens'] },
    temperature: { kind: 'number', path: ['agents', 'agent', 'temperature'] },
    system_prompt_path: {
      kind: 'text',
      path: ['agents', 'agent', 'prompt'],
      value: unlessEmpty,
    },
    // These two make one name: see `modelOf`.
    default_provider: { kind: 'text' },
    default_model: { kind: 'text' },
  },
  sandbox: {
    backend: {
      kind: 'text',
      path: ['sandbox', 'backend'],
      value: (old) => backendOf[String(old)] ?? old,
    },
    image: { kind: 'text', path: ['sandbox', 'image'], value: unlessEmpty },
    cpu_limit: { kind: 'number', path: ['sandbox', 'cpus'] },
    memory_limit: {
      kind: 'text',
      path: ['sandbox', 'memory_mb'],
      value: (old) => {
        const bytes = parseBytes(String(old));
        return bytes === undefined ? old : Math.ceil(bytes / mebibyte);
      },
    },
    timeout_seconds: { kind: 'whole', path: ['sandbox', 'command_timeout_s'] },
    network_enabled: {
      kind: 'switch',
      path: ['sandbox', 'network'],
      value: (old) => (typeof old === 'boolean' ? (old ? 'full' : 'none') : old),
    },
    writable_cache_mounts: { kind: 'switch', instead: later },
  },
  queue: {
    // These two make one value: see `queueOf`.
    backend: { kind: 'text' },
    redis_url: { kind: 'text' },
    max_concurrent_runs: {
      kind: 'whole',
      path: ['worker', 'concurrency'],
      value: (old) => (old === 0 ? 1_000 : old),
    },
  },
  logging: {
    level: { kind: 'text', instead: 'what the orchestrator logs is set by FORGE_LOG_LEVEL' },
    format: { kind: 'text', instead: 'write --json behind the command' },
    log_file: { kind: 'text', instead: 'send the output of the command to a file' },
  },
  service: Object.fromEntries(
    [
      'host',
      'port',
      'root_dir',
      'healthcheck_path',
      'auth_enabled',
      'api_key_header',
      'clients_path',
      'allow_local_path_sources',
      'max_source_size_bytes',
    ].map((key): [string, OldKey] => [key, { kind: 'text', instead: later }]),
  ),
};

/** What `[providers.X]` may say. */
export const providerKeys: readonly string[] = ['api_key_env', 'default_model'];

/** The earlier system's own defaults, for a provider named without a model. */
export const defaultModels: Readonly<Record<string, string>> = {
  gemini: 'gemini-3.1-flash-lite-preview',
  openai: 'gpt-4o',
  anthropic: 'claude-sonnet-4-20250514',
};
