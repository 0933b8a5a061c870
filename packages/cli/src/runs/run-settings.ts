import { isJsonObject, type JsonObject } from '@forge/core';
import type { RunRow } from '@forge/store';
import type { WorkshopOptions } from '../context.ts';
import { configLabel, flagsLabel } from '../workshop/labels.ts';

/** How the workshop was opened that a run was begun in. */
export function settingsOfRun(run: RunRow): Omit<WorkshopOptions, 'context'> {
  const repo = run.labels['forge.repo'];
  const file = run.labels[configLabel];
  return {
    flags: flagsOf(run),
    ...(repo !== undefined && { repo }),
    ...(file !== undefined && { file }),
  };
}

/** Whether its command line asked for more than a model, which is on the run itself. */
export function hasOwnSettings(run: RunRow): boolean {
  const { model: _, ...flags } = flagsOf(run);
  return run.labels[configLabel] !== undefined || Object.keys(flags).length > 0;
}

function flagsOf({ labels }: RunRow): JsonObject {
  try {
    const flags: unknown = JSON.parse(labels[flagsLabel] ?? '{}');
    return isJsonObject(flags) ? flags : {};
  } catch {
    return {}; // Whatever it is, nobody said it on a command line.
  }
}
