import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A repository in a temporary folder, for as long as `use` takes. */
export function withRepository<T>(
  files: Readonly<Record<string, string>>,
  use: (root: string) => T,
): T {
  const root = mkdtempSync(join(tmpdir(), 'forge-planted-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return use(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A package.json with that name and those dependencies. */
export function manifest(name: string, dependencies: readonly string[] = []): string {
  const ranges = Object.fromEntries(dependencies.map((dependency) => [dependency, '*']));
  return JSON.stringify({ name, dependencies: ranges });
}
