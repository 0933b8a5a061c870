import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Readers see the old file or the new one, never half of it. Only its owner may read it. Its folder has to be there. */
export function writeJson(path: string, value: unknown): void {
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
