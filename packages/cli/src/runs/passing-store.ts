import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A store that is gone when the work is done. */
export async function withPassingStore<T>(work: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-passing-'));
  try {
    return await work(join(folder, 'runs.db'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
