import { ForgeError } from '@forge/core';

/** Imports packages that only one make of the queue needs, and says what to install without them. */
export async function loadPackage<T>(
  load: () => Promise<T>,
  { purpose, install }: { readonly purpose: string; readonly install: string },
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new ForgeError(
      'invalid_options',
      `${purpose} needs packages that are not installed. Run "npm install ${install}".`,
      { cause: error },
    );
  }
}

function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND';
}
