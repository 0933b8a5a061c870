import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { messageOf } from '@forge/core';
import { createTargets } from '@forge/targets';
import type { Config } from '../../config.ts';
import { projectPlugins } from '../../project/project-plugins.ts';
import type { Settings } from '../../settings/settings-schema.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import type { Probes } from './look-at-sandbox.ts';

/** The target is known, its settings are right, and what it calls is there. */
export async function lookAtTarget(
  { deploy }: Settings,
  {
    cwd,
    config,
    probes,
  }: { readonly cwd: string; readonly config: Config; readonly probes: Probes },
): Promise<readonly Finding[]> {
  const { target: name } = deploy;
  if (name === undefined) {
    return [warn('deploy', 'no target is set', 'Set deploy.target to process or docker.')];
  }
  try {
    const { loaded } = await projectPlugins({ cwd, config });
    const extra = Object.assign({}, ...loaded.map(({ targets }) => targets));
    const target = createTargets(extra).get(name);
    const { error } = target.config.safeParse(deploy.config);
    if (error !== undefined) {
      return error.issues.map(({ path, message }) =>
        fail(
          'deploy',
          `deploy.config.${path.map(String).join('.')}: ${message}`,
          'See docs/targets.md.',
        ),
      );
    }
    const { docker } = probes;
    if (name === 'docker' && !docker.available) return [fail('deploy', docker.problem, docker.fix)];
    const missing = name === 'process' ? missingProgram(deploy.config.start, config) : undefined;
    return missing === undefined
      ? [ok('deploy', `target ${name}`)]
      : [
          fail(
            'deploy',
            `deploy.config.start calls ${missing}, which is not on PATH`,
            'Install it.',
          ),
        ];
  } catch (error) {
    return [fail('deploy', messageOf(error))];
  }
}

/** The program a command begins with, if it is looked for on PATH and is not there. */
function missingProgram(start: unknown, { variable }: Config): string | undefined {
  const first = Array.isArray(start) ? start[0] : String(start).trim().split(/\s/)[0];
  if (typeof first !== 'string' || !/^[\w.+-]+$/.test(first)) return undefined;
  const folders = (variable('PATH') ?? '').split(delimiter);
  const isThere = folders.some((folder) => {
    try {
      accessSync(join(folder, first), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  return isThere || shellWords.has(first) ? undefined : first;
}

/** Known to the shell itself. */
const shellWords: ReadonlySet<string> = new Set(['exec', 'cd', 'export', 'set', 'if', 'test']);
