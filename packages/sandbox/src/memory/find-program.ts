import { posix } from 'node:path';
import type { MemoryFiles } from './memory-files.ts';

/** Why a command cannot be started, with the exit code a shell would give; undefined if it can. */
export async function whyNotStarted(
  files: MemoryFiles,
  { program, cwd, path }: { program: string; cwd: string; path: string },
): Promise<{ readonly problem: string; readonly exitCode: 126 | 127 } | undefined> {
  const folder = await files.statOf(cwd);
  if (!folder?.isDirectory) {
    return { problem: `The folder ${cwd} is not there, or is no folder.`, exitCode: 127 };
  }
  const places = program.includes('/')
    ? [posix.resolve(cwd, program)]
    : path.split(':').map((place) => posix.resolve(cwd, place, program));
  let denied = false;
  for (const place of places) {
    const stat = await files.statOf(place);
    if (stat?.isFile && (stat.mode & 0o111) !== 0) return undefined;
    denied ||= stat !== undefined;
  }
  if (denied) return { problem: `${program} is not executable, or is a folder.`, exitCode: 126 };
  const shown = program.includes('/') ? 'is not there' : `is in none of ${path}`;
  return { problem: `The program ${program} ${shown}.`, exitCode: 127 };
}
