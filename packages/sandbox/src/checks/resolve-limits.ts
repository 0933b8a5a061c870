import { ForgeError } from '@forge/core';
import { defaultLimits, type SandboxLimits } from '../sandbox.ts';

/** The longest a timer of Node can wait: 24.8 days. */
const longestMs = 2 ** 31 - 1;

/** `false`: a fraction will do. */
const whole: Readonly<Record<keyof SandboxLimits, boolean>> = {
  cpus: false,
  memoryBytes: true,
  pids: true,
  diskBytes: true,
  outputBytes: true,
  timeMs: true,
  lifetimeMs: true,
  commands: true,
};

/** The limits of a sandbox: what is asked for, and the defaults. Refuses those that make no sense. */
export function resolveLimits(asked: Partial<SandboxLimits> = {}): SandboxLimits {
  const limits = { ...defaultLimits };
  for (const name of Object.keys(whole) as (keyof SandboxLimits)[]) {
    const value = asked[name];
    if (value === undefined) continue;
    const least = name === 'outputBytes' ? value >= 0 : value > 0;
    const fits = name.endsWith('Ms') ? value <= longestMs : value <= Number.MAX_SAFE_INTEGER;
    if (!least || !fits || (whole[name] && !Number.isInteger(value))) {
      const kind = whole[name] ? 'whole number' : 'number';
      throw new ForgeError(
        'invalid_options',
        `limits.${name} is ${value}. It takes a ${kind} above 0, such as ${defaultLimits[name]}.`,
      );
    }
    limits[name] = value;
  }
  return limits;
}
