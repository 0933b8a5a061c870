import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  fill(): void;
  empty(): void;
  unmount(): void;
}

/** A file system of that size in memory; undefined where we may not mount one. */
export function mountSmallDisk(folder: string, size: string): SmallDisk | undefined {
  mkdirSync(folder);
  const options = ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder];
  const { status } = spawnSync('mount', options, { stdio: 'ignore' });
  if (status !== 0) return undefined;
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      for (const block of [64 * 1024, 4 * 1024, 1]) fillWith(filler, Buffer.alloc(block));
    },
    empty: () => rmSync(filler, { force: true }),
    unmount: () => void spawnSync('umount', [folder], { stdio: 'ignore' }),
  };
}

function fillWith(file: string, block: Buffer) {
  try {
    for (;;) appendFileSync(file, block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
