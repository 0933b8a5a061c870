import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Removes the logs of releases but for those that are needed, and the newest others. */
export function pruneLogs(
  folder: string,
  { keep, needed }: { readonly keep: number; readonly needed: ReadonlySet<string> },
): void {
  try {
    const others = readdirSync(folder)
      .filter((name) => !needed.has(name.replace(/\.log(?:\.1)?$/, '')))
      .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    for (const { name } of others.slice(keep)) rmSync(join(folder, name), { force: true });
  } catch {
    // There are none, or the next time.
  }
}
