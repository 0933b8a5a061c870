import { ForgeError, isJsonObject, type JsonValue, type RunEvent, textOf } from '@forge/core';
import { isBroken, type Store } from '@forge/store';
import type { RunPort } from './ports.ts';

/** Inputs that are remembered, so that a tool that asks often does not read the log as often. */
const mostInputs = 100;

/**
 * The runs' own log as what tools remember by: nothing they need lives in memory alone.
 *
 * @example
 * createRunPort(eventsIn(store));
 */
export function createRunPort(
  eventsOf: (runId: string) => Promise<readonly RunEvent[]> | readonly RunEvent[],
): RunPort {
  const inputs = new Map<string, JsonValue>();
  return {
    async inputOf(runId) {
      const known = inputs.get(runId);
      if (known !== undefined) return known; // What a run was given never changes.
      const events = await eventsOf(runId);
      const started = events.find((event) => event.type === 'run.started');
      if (started === undefined) {
        throw new ForgeError('not_found', `Run ${runId} has no beginning in its log.`);
      }
      const input = readText(started.input.map(textOf).join('\n'));
      if (inputs.size >= mostInputs) inputs.clear();
      inputs.set(runId, input);
      return input;
    },
    async resultsOf(runId, tool) {
      const events = await eventsOf(runId);
      return events.flatMap((event) =>
        event.type === 'tool.finished' && event.name === tool && event.outcome === 'ok'
          ? [event.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))]
          : [],
      );
    },
  };
}

/** All events of a run that can be read, however many pages they take. */
export function eventsIn(
  store: Pick<Store, 'events'>,
): (runId: string) => Promise<readonly RunEvent[]> {
  return async (runId) => {
    const events: RunEvent[] = [];
    for (let after = 0; ; ) {
      const page = await store.events(runId, { after });
      for (const event of page) if (!isBroken(event)) events.push(event);
      const last = page.at(-1);
      if (last === undefined) return events;
      after = last.seq;
    }
  };
}

function readText(text: string): JsonValue {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : text;
  } catch {
    return text; // A task in plain words.
  }
}
