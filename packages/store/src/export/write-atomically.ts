import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file in one piece: whoever reads sees the old one or the new one, never half of it, even
 * after a power cut. The folder is made if it is not there.
 */
export async function writeAtomically(
  file: string,
  write: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${process.pid}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  try {
    await write(handle);
    await handle.sync();
    await handle.close();
    await rename(temporary, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}

/** As a person would want to read it. */
export async function writeJsonFile(file: string, value: unknown): Promise<void> {
  await writeAtomically(file, (handle) => handle.writeFile(`${JSON.stringify(value, null, 2)}\n`));
}
