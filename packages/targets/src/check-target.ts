import { ForgeError } from '@forge/core';
import type { Target } from './target.ts';

const methods = ['validate', 'build', 'deploy', 'healthCheck', 'rollback', 'stop'] as const;

/** Something from a plugin, as a target. `invalid_options` says all that it lacks. */
export function checkTarget(candidate: unknown, from: string): Target<unknown> {
  if (isTarget(candidate)) return candidate;
  const problems = problemsOf(candidate).join(', ');
  throw new ForgeError(
    'invalid_options',
    `${from} cannot be used: ${problems}. See "Writing a target" in docs/targets.md.`,
  );
}

function isTarget(candidate: unknown): candidate is Target<unknown> {
  return problemsOf(candidate).length === 0;
}

function problemsOf(candidate: unknown): string[] {
  if (typeof candidate !== 'object' || candidate === null) return ['it is no object'];
  const field = (name: string): unknown => Reflect.get(candidate, name);
  const name = field('name');
  const isNamed = typeof name === 'string' && /^[A-Za-z][A-Za-z0-9._-]{0,63}$/.test(name);
  return [
    ...(isNamed ? [] : ['its name is no word of letters, digits, ".", "_" and "-"']),
    ...(hasParse(field('config')) ? [] : ['its config is no Zod schema']),
    ...methods
      .filter((method) => typeof field(method) !== 'function')
      .map((method) => `it has no ${method}()`),
  ];
}

/** Zod of another copy is as good. */
function hasParse(schema: unknown): boolean {
  return (
    typeof schema === 'object' &&
    schema !== null &&
    typeof Reflect.get(schema, 'safeParse') === 'function'
  );
}
