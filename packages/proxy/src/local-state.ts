import { createSlot, type Slot } from '@forge/core';
import { type OpenLessons, openLessons } from './learn/lessons.ts';
import type { Rule } from './learn/rule.ts';
import type { ProxyOptions } from './options.ts';
import { createMemorySessions } from './sessions/memory-sessions.ts';
import type { SharedState } from './shared-state.ts';
import { createStats } from './stats/create-stats.ts';

export interface LocalStateOptions
  extends Pick<ProxyOptions, 'serialize' | 'sessions' | 'learn' | 'now' | 'onNotice'> {
  /** Requests under way elsewhere, beside those this state is told of. */
  readonly inFlight?: () => number;
  /** Told when what is advised for a model changes. */
  readonly onRule?: (model: string, rule: Rule) => void;
}

export interface LocalState extends SharedState {
  readonly slot: Slot | undefined;
  readonly lessons: OpenLessons | undefined;
}

/** The shared state of a proxy that is one process, or of the primary among several. */
export async function createLocalState(options: LocalStateOptions): Promise<LocalState> {
  const { serialize = false, sessions = false, learn, now = Date.now } = options;
  const { inFlight, onNotice, onRule } = options;
  const size = serialize === true ? 1 : serialize;
  const slot = size === false || size === 0 ? undefined : createSlot({ size });
  const lessons =
    learn === undefined ? undefined : await openLessons({ file: learn, onNotice, onRule });
  return {
    slot,
    sessions: sessions ? createMemorySessions({ now }) : undefined,
    stats: createStats({ now, inFlight }),
    lessons,
    async close() {
      // Whoever still holds the slot is not waited for: its connection is closed already.
      void slot?.stop();
      await lessons?.close();
    },
  };
}
