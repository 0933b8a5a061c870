import { userInfo } from 'node:os';
import type { Decider } from '@forge/runtime';

/** Who sits at this terminal, by their login. */
export function decider(): Required<Decider> {
  return { by: loginName(), via: 'terminal' };
}

function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'terminal'; // A user without an entry, as in some containers.
  }
}
