import { resolve } from 'node:path';
import { ForgeError } from '@forge/core';
import type { GuardSettings, LimitOptions } from '@forge/proxy';
import type { Config } from '../../config.ts';
import { definedFields } from '../../defined-fields.ts';
import { parseBytes } from '../../parse-bytes.ts';
import type { ProxyProfile } from '../../project/proxy-section.ts';
import { backendPlace } from './backend-place.ts';
import type { ChosenProfile } from './choose-profile.ts';
import type { ProxyFlags } from './flags.ts';
import type { ProxySettings } from './settings.ts';
import { checkKeyIsMeant } from './trusted-key.ts';

export const defaultHost = '127.0.0.1';
export const defaultPort = 8081;

/**
 * One set of settings: flags over the environment, over the profile, over defaults. A backend
 * that flags name replaces the profile's as a whole, so that no key and no flag of one server
 * ever reaches another.
 */
export function resolveSettings({
  flags,
  serverFlags = [],
  profile,
  config,
  cwd,
}: {
  readonly flags: ProxyFlags;
  /** For a server that is started: what stood after `--`. */
  readonly serverFlags?: readonly string[];
  readonly profile: ChosenProfile | undefined;
  readonly config: Config;
  readonly cwd: string;
}): ProxySettings {
  const values: ProxyProfile = profile?.values ?? {};
  // The profile's own address said again on the command line: it is meant.
  const isConfirmed = flags.backendUrl !== undefined && flags.backendUrl === values.backend?.url;
  const isNamed = [
    isConfirmed ? undefined : flags.backendUrl,
    flags.backend,
    flags.gguf,
    flags.modelPath,
  ].some((flag) => flag !== undefined);
  const kept = isNamed ? {} : (values.backend ?? {});
  const key = (name: string | undefined) => readKey(name, { profile, config });
  const backendApiKey = flags.backendApiKey ?? config.backendApiKey ?? key(kept.apiKeyEnv);
  const { configFolder } = config;
  if (!isConfirmed) checkKeyIsMeant({ url: kept.url, key: backendApiKey, profile, configFolder });
  const timeout = flags.backendTimeout ?? kept.timeout;
  const model = flags.model ?? kept.model;
  return {
    profile: profile && { name: profile.name, file: profile.file },
    place: backendPlace({
      url: flags.backendUrl ?? kept.url,
      kind: flags.backend ?? kept.kind,
      gguf: flags.gguf ?? kept.gguf,
      modelPath: flags.modelPath ?? kept.modelPath,
      model,
      port: flags.backendPort ?? kept.port,
      budgetMode: flags.budgetMode ?? (flags.budgetTokens ? 'manual' : kept.budgetMode),
      budgetTokens: flags.budgetTokens ?? (flags.budgetMode ? undefined : kept.budgetTokens),
      flags: [...(kept.flags ?? []), ...serverFlags],
      folder: isNamed ? cwd : (profile?.folder ?? cwd),
    }),
    wire: flags.backendWire ?? kept.wire,
    model,
    backendApiKey,
    tools: flags.backendCapability ?? kept.tools,
    backendTimeout: milliseconds(timeout),
    connectTimeout: milliseconds(kept.connectTimeout),
    host: flags.host ?? values.host ?? defaultHost,
    port: flags.port ?? values.port ?? defaultPort,
    apiKey: flags.apiKey ?? config.proxyApiKey ?? key(values.apiKeyEnv),
    guard: resolveGuard(flags, values.guard),
    limits: resolveLimits(flags, values.limits),
    serialize: flags.serialize ?? values.serialize,
    sessions: flags.sessions ?? values.sessions ?? false,
    learn: resolveLearn({ flags, profile, config, cwd }),
    workers: flags.workers ?? values.workers ?? 1,
  };
}

/** A key that is named and missing is an error: going on without it would leave a door open. */
function readKey(
  name: string | undefined,
  { profile, config }: { readonly profile: ChosenProfile | undefined; readonly config: Config },
): string | undefined {
  if (name === undefined) return undefined;
  const value = config.variable(name);
  if (value !== undefined) return value;
  throw new ForgeError(
    'invalid_options',
    `The variable ${name} is not set. The profile "${profile?.name}" in ${profile?.file} takes a key from it.`,
  );
}

function resolveGuard(flags: ProxyFlags, said: ProxyProfile['guard'] = {}): GuardSettings {
  return definedFields({
    maxRetries: flags.maxRetries ?? said.maxRetries,
    maxToolErrors: flags.maxToolErrors ?? said.maxToolErrors,
    respondTool: flags.injectRespondTool ?? said.respondTool,
    reasoningReplay: flags.reasoningReplay ?? said.reasoningReplay,
    constrain: flags.constrain ?? said.constrain,
    steps: said.steps,
    switches: definedFields({ ...said.switches, rescue: flags.rescue ?? said.switches?.rescue }),
  });
}

function resolveLimits(flags: ProxyFlags, said: ProxyProfile['limits'] = {}): LimitOptions {
  return definedFields({
    bodyBytes: flags.maxBody ?? bytes(said.bodyBytes),
    headerBytes: bytes(said.headerBytes),
    replyBytes: bytes(said.replyBytes),
    concurrency: flags.concurrency ?? said.concurrency,
    queue: flags.queue ?? said.queue,
    headersTimeout: milliseconds(said.headersTimeout),
    bodyTimeout: milliseconds(said.bodyTimeout),
    writeTimeout: milliseconds(said.writeTimeout),
    heartbeat: milliseconds(said.heartbeat),
  });
}

function resolveLearn({
  flags,
  profile,
  config,
  cwd,
}: {
  readonly flags: ProxyFlags;
  readonly profile: ChosenProfile | undefined;
  readonly config: Config;
  readonly cwd: string;
}): string | undefined {
  const usual = resolve(config.stateFolder, 'proxy', 'lessons.json');
  const told = flags.learn ?? profile?.values.learn ?? false;
  if (typeof told === 'boolean') return told ? usual : undefined;
  return resolve(flags.learn === undefined && profile ? profile.folder : cwd, told);
}

function bytes(size: number | string | undefined): number | undefined {
  return typeof size === 'string' ? parseBytes(size) : size;
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
