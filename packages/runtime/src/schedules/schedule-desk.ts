import { ForgeError } from '@forge/core';
import type { ScheduleStore } from './look-at-schedule.ts';

export interface ScheduleLimits {
  /** Active and paused ones. Default 50. */
  readonly maxPerAgent: number;
  /** Milliseconds between two due times. Default 60,000. */
  readonly minInterval: number;
  /** How many schedules in a row may each be made by a run of the one before. Default 10. */
  readonly maxGenerations: number;
}

export const defaultLimits: ScheduleLimits = {
  maxPerAgent: 50,
  minInterval: 60_000,
  maxGenerations: 10,
};

/** What every operation on schedules has at hand. */
export interface ScheduleDesk {
  readonly store: ScheduleStore;
  readonly now: () => Promise<number>;
  readonly newId: () => string;
  readonly limits: ScheduleLimits;
  readonly zone: string;
}

export function noSchedule(id: string): ForgeError {
  return new ForgeError('not_found', `There is no schedule "${id}". List them to see their ids.`);
}
