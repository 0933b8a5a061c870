import { ForgeError } from '@forge/core';

const mostChars = 8_000;

/** A deployment that did not happen, with the last lines of what was said. */
export function deployFailed(
  message: string,
  { log = [], cause }: { readonly log?: readonly string[]; readonly cause?: unknown } = {},
): ForgeError {
  const lines = log.map((line) => `  ${line}`).join('\n');
  const kept = lines.length > mostChars ? `  …${lines.slice(-mostChars)}` : lines;
  const text = kept === '' ? message : `${message} The last lines it printed:\n${kept}`;
  return new ForgeError('deploy_failed', text, cause === undefined ? {} : { cause });
}

/** A failure of the disk as one of the deployment; anything else as it is. */
export function explainDisk(error: unknown, where: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return deployFailed(
      `The disk is full: ${where} has no room left. Free some and deploy again; nothing was switched.`,
      { cause: error },
    );
  }
  if (code === 'EROFS' || code === 'EACCES') {
    return deployFailed(`${where} cannot be written (${code}). Nothing was switched.`, {
      cause: error,
    });
  }
  return error;
}
