import type { Progress } from '@forge/core';
import type { Sessions } from '../shared-state.ts';
import { unite } from './merge-progress.ts';

const mostSessions = 10_000;
const longestPause = 24 * 60 * 60 * 1_000;
/** Of all together: a turn is remembered with the arguments of its calls, and those may be files. */
const mostCharacters = 64 * 1024 * 1024;

interface Kept {
  readonly progress: Progress;
  readonly length: number;
  readonly usedAt: number;
}

/**
 * Sessions in memory. The one not used the longest goes first when there are too many or they
 * hold too much, and any that rested for a day.
 */
export function createMemorySessions({
  now,
  most = mostSessions,
  characters = mostCharacters,
  pause = longestPause,
}: {
  now: () => number;
  most?: number;
  characters?: number;
  pause?: number;
}): Sessions & { readonly size: number } {
  /** In the order they were last used. */
  const sessions = new Map<string, Kept>();
  let held = 0;

  const drop = (key: string) => {
    held -= sessions.get(key)?.length ?? 0;
    sessions.delete(key);
  };
  const keep = (key: string, progress: Progress) => {
    drop(key);
    const length = lengthOf(progress);
    held += length;
    sessions.set(key, { progress, length, usedAt: now() });
  };
  const forget = () => {
    const rested = now() - pause;
    for (const [key, { usedAt }] of sessions) {
      if (sessions.size <= most && held <= characters && usedAt > rested) return;
      drop(key);
    }
  };

  return {
    get size() {
      return sessions.size;
    },
    async load(key) {
      const found = sessions.get(key);
      if (found === undefined) return undefined;
      if (found.usedAt <= now() - pause) {
        drop(key);
        return undefined;
      }
      sessions.delete(key);
      sessions.set(key, { ...found, usedAt: now() });
      return found.progress;
    },
    save(key, progress) {
      // Another request of the session may have ended meanwhile: a step that was done stays done.
      const facts = unite(sessions.get(key)?.progress.facts ?? [], progress.facts);
      keep(key, { ...progress, facts });
      forget();
    },
  };
}

function lengthOf({ facts, recent }: Progress): number {
  let length = 0;
  for (const fact of facts) length += fact.length;
  for (const { calls, results } of recent) length += calls.length + results.length;
  return length;
}
