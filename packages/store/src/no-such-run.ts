import { ForgeError } from '@forge/core';

export function noSuchRun(runId: string): ForgeError {
  return new ForgeError('not_found', `There is no run "${runId}".`);
}
