import { ForgeError } from '@forge/core';

/** The shell that is played. An optional peer: loaded when the first sandbox needs it. */
export async function loadJustBash(): Promise<typeof import('just-bash')> {
  try {
    return await import('just-bash');
  } catch (cause) {
    throw new ForgeError(
      'sandbox_failed',
      'The sandbox in memory needs the package just-bash. Install it: npm install just-bash',
      { cause },
    );
  }
}
