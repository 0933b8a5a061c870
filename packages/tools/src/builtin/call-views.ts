import type { JsonObject } from '@forge/core';
import type { CallView } from '../policy/apply-policy.ts';
import { aliasViews } from './aliases.ts';
import { parsePatch } from './patch/parse-patch.ts';

/**
 * Other ways to say a call of a built-in tool, for `applyPolicy`: under each other name of the tool,
 * with the arguments that name takes, and a patch by the files it touches, as `path`.
 *
 * @example
 * callViews({ tool: 'search_codebase', args: { pattern: 'x', file_glob: '*.ts' } })
 * // [{ tool: 'search', args: { pattern: 'x', glob: '*.ts', max_results: 20 } }]
 */
export function callViews(call: CallView): readonly CallView[] {
  const { tool, args } = call;
  if (tool !== 'apply_patch') return aliasViews(call);
  const path = pathsIn(args);
  return path.length === 0 ? [] : [{ tool, args: { path } }];
}

/** None of a patch that cannot be read: it is not applied either. */
function pathsIn({ patch }: JsonObject): string[] {
  if (typeof patch !== 'string') return [];
  try {
    return parsePatch(patch).flatMap((file) =>
      file.type === 'update' && file.moveTo !== undefined ? [file.path, file.moveTo] : [file.path],
    );
  } catch {
    return [];
  }
}
