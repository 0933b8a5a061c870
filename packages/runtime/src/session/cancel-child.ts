import type { NewMessage } from '@forge/store';

/** Tells a child that nobody waits for it any more. Also one that is paused: it has to end. */
export function cancelChild(
  runId: string,
  reason: string,
): NewMessage & { readonly runId: string } {
  return { runId, kind: 'cancel', payload: { reason }, reopens: true };
}
