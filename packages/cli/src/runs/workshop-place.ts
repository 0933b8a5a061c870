import { resolve } from 'node:path';
import type { CommandContext, WorkshopOptions } from '../context.ts';

/** Where the workshop is, by the flags that say so. Paths begin at the working directory. */
export function workshopPlace(
  { cwd }: Pick<CommandContext, 'cwd'>,
  { repo, config }: { readonly repo?: string | undefined; readonly config?: string | undefined },
): Pick<WorkshopOptions, 'file' | 'repo'> {
  return {
    ...(config !== undefined && { file: resolve(cwd, config) }),
    ...(repo !== undefined && { repo: resolve(cwd, repo) }),
  };
}
