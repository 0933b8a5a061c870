import { ForgeError, type JsonObject } from '@forge/core';
import type { Target, TargetProblem } from '../target.ts';

/** What `deploy.config` says to this target, or everything that is wrong with it. */
export function parseConfig(
  target: Target<unknown>,
  config: JsonObject,
): { readonly config: unknown } | { readonly problems: readonly TargetProblem[] } {
  const read = target.config.safeParse(config);
  if (read.success) return { config: read.data };
  const fix = `Correct it in forge.yaml; the keys of the target "${target.name}" are in docs/targets.md.`;
  return {
    problems: read.error.issues.slice(0, 20).map(({ path, message }) => ({
      problem: `${['deploy.config', ...path.map(String)].join('.')}: ${message}`,
      fix,
    })),
  };
}

/** The config, for what needs one that is right. */
export function requireConfig(target: Target<unknown>, config: JsonObject): unknown {
  const read = parseConfig(target, config);
  if ('config' in read) return read.config;
  const lines = read.problems.map(({ problem }) => problem).join('; ');
  throw new ForgeError('invalid_options', `${lines}. ${read.problems[0]?.fix ?? ''}`);
}
