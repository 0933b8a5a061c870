import { basename, relative } from 'node:path';

/** A file for people: from the working directory where it lies below or above it, else from home. */
export function showPath(
  file: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): string {
  const near = relative(cwd, file);
  const isAbove = near.replace(/^(?:\.\.[/\\])+/, '') === basename(file);
  if (isAbove || !/^(?:\.\.|[/\\]|\w:)/.test(near)) return near;
  const fromHome = relative(home, file);
  return /^(?:\.\.|[/\\]|\w:)/.test(fromHome) ? file : `~/${fromHome}`;
}
