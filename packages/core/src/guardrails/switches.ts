import { ForgeError } from '../errors.ts';

/**
 * One switch for each guardrail, so that what it is worth can be measured. A call to a tool
 * that does not exist is refused whatever the switches say.
 */
export interface Switches {
  /** Find tool calls in plain text. */
  readonly rescue: boolean;
  /** Check arguments against the tool's schema. */
  readonly arguments: boolean;
  /** Mend arguments where that loses nothing. */
  readonly repairs: boolean;
  /** Hold back a finish until the required steps are done. */
  readonly steps: boolean;
  /** Hold back a call until its prerequisites are done. */
  readonly prerequisites: boolean;
  /** Notice calls that go round in circles. */
  readonly repetition: boolean;
  /** Tell the model what was wrong and let it try again; off, the first refused reply is the end. */
  readonly nudges: boolean;
  /** Show failed tools to the model; off, the first failure is the end. */
  readonly recovery: boolean;
  /** Keep the context within its budget. */
  readonly compaction: boolean;
}

export const allOn: Switches = {
  rescue: true,
  arguments: true,
  repairs: true,
  steps: true,
  prerequisites: true,
  repetition: true,
  nudges: true,
  recovery: true,
  compaction: true,
};

export const allOff: Switches = {
  rescue: false,
  arguments: false,
  repairs: false,
  steps: false,
  prerequisites: false,
  repetition: false,
  nudges: false,
  recovery: false,
  compaction: false,
};

export function resolveSwitches(given: Partial<Switches> = {}): Switches {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(allOn, name)) {
      throw new ForgeError(
        'invalid_agent',
        `guardrails has no switch "${name}". It takes: ${Object.keys(allOn).join(', ')}.`,
      );
    }
  }
  return { ...allOn, ...given };
}
