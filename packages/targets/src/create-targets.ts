import { ForgeError } from '@forge/core';
import { checkTarget } from './check-target.ts';
import { createDockerTarget } from './docker/docker-target.ts';
import { processTarget } from './process/process-target.ts';
import type { Target } from './target.ts';

/** Targets by their names. */
export interface TargetRegistry {
  /** `not_found` for a name nobody has, with those that there are. */
  get(name: string): Target<unknown>;
  /** In order of the alphabet. */
  names(): readonly string[];
  /** One of somebody else's making. `invalid_options` if it lacks something, `already_exists` for a name that is taken. */
  add(target: unknown, from?: string): void;
}

/**
 * The targets of Forge, and those of plugins by the names they are given there.
 *
 * @example
 * const targets = createTargets({ lambda: lambdaTarget });
 * targets.names(); // ['docker', 'lambda', 'process']
 */
export function createTargets(extra: Readonly<Record<string, unknown>> = {}): TargetRegistry {
  const known = new Map<string, Target<unknown>>();
  const registry: TargetRegistry = {
    get(name) {
      const target = known.get(name);
      if (target !== undefined) return target;
      const names = registry.names().join(', ');
      throw new ForgeError(
        'not_found',
        `There is no target "${name}". Targets: ${names}. Set deploy.target to one of them, or install a plugin that has it.`,
      );
    },
    names: () => [...known.keys()].sort(),
    add(candidate, from = 'A target') {
      const target = checkTarget(candidate, from);
      if (known.has(target.name)) {
        throw new ForgeError('already_exists', `There is a target "${target.name}" already.`);
      }
      known.set(target.name, target);
    },
  };
  registry.add(processTarget);
  registry.add(createDockerTarget());
  for (const [name, target] of Object.entries(extra)) {
    registry.add(target, `The target "${name}"`);
  }
  return registry;
}
