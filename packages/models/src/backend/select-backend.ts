import { ForgeError } from '@forge/core';
import type { BackendPlace } from './backend-options.ts';
import { type BackendState, listStates } from './backend-state.ts';

/** The one backend that is meant: by its id, the beginning of it, or its kind. */
export function selectBackend(
  which: string,
  place: BackendPlace,
): { folder: string; state: BackendState } {
  const all = listStates(place);
  const exact = all.find(({ state }) => state.id === which);
  if (exact !== undefined) return exact;
  const matching = all.filter(({ state }) => which !== '' && state.id.startsWith(which));
  const running = matching.filter(({ state }) => isUp(state));
  const [only, another] = running.length > 0 ? running : matching;
  if (only !== undefined && another === undefined) return only;
  const known = all.map(({ state }) => state.id).join(', ') || 'none';
  throw new ForgeError(
    'invalid_options',
    only === undefined
      ? `There is no backend "${which}". There are: ${known}.`
      : `"${which}" may be several backends: ${matching.map(({ state }) => state.id).join(', ')}. Give more of the id.`,
  );
}

function isUp({ phase }: BackendState): boolean {
  return phase === 'starting' || phase === 'ready' || phase === 'restarting';
}
