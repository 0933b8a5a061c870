import { ForgeError } from '@forge/core';
import { joinUrl, type Wire, wires } from '@forge/models';
import type { Advice } from './learn/lessons.ts';
import type { BackendOptions, GuardSettings, ProxyOptions } from './options.ts';
import { type Limits, withDefaultLimits } from './server/server-options.ts';
import type { Lessons } from './shared-state.ts';

/** The options with nothing left open. */
export interface ProxySettings {
  readonly backend: Omit<BackendOptions, 'wire'> & {
    readonly wire: Wire;
    readonly timeout: number;
    readonly connectTimeout: number;
  };
  readonly host: string;
  readonly port: number;
  readonly apiKey: string | undefined;
  readonly guard: GuardSettings & { readonly maxRetries: number };
  readonly limits: Limits;
  /** What worked for this model before. */
  readonly advise: (model: string) => Advice;
}

export function resolveSettings(
  options: ProxyOptions,
  lessons: Lessons | undefined,
): ProxySettings {
  const { backend, host = '127.0.0.1', port = 8081, apiKey, guard = {} } = options;
  joinUrl(backend.url, '');
  const wire = wires[backend.wire ?? 'openai-chat'];
  if (wire === undefined) {
    throw new ForgeError(
      'invalid_options',
      `There is no wire "${backend.wire}". It is one of ${Object.keys(wires).join(', ')}.`,
    );
  }
  if (apiKey === '') {
    throw new ForgeError('invalid_options', 'The api key is empty. Give one, or leave it out.');
  }
  const rescues = guard.switches?.rescue !== false;
  if (backend.tools === 'prompt' && !rescues) {
    throw new ForgeError(
      'invalid_options',
      'With tools in the prompt, calls come as text, which is read by rescue. Turn rescue on, or take native tools.',
    );
  }
  for (const { requiredSteps, terminalTools = [] } of guard.steps ?? []) {
    const both = requiredSteps.find((name) => terminalTools.includes(name));
    if (both === undefined) continue;
    throw new ForgeError(
      'invalid_options',
      `"${both}" is both a required step and a terminal tool, so it could never run. Remove it from requiredSteps.`,
    );
  }
  return {
    backend: {
      ...backend,
      wire,
      timeout: backend.timeout ?? 300_000,
      connectTimeout: backend.connectTimeout ?? 10_000,
    },
    host,
    port,
    apiKey,
    guard: {
      ...guard,
      maxRetries: guard.maxRetries ?? 3,
      reasoningReplay: guard.reasoningReplay ?? 'as_sent',
    },
    limits: withDefaultLimits(options.limits),
    advise: lessons === undefined ? () => noAdvice : (model) => adviceOf(lessons, model, rescues),
  };
}

/** Calls that come as text are of no use where none are looked for. */
function adviceOf(lessons: Lessons, model: string, rescues: boolean): Advice {
  const advice = lessons.advise(model);
  return rescues ? advice : { ...advice, mode: 'native' };
}

const noAdvice: Advice = { mode: 'native', constrainAfter: undefined };
