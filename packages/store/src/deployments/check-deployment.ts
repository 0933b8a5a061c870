import { ForgeError, type Redactor, redactJson } from '@forge/core';
import { asText } from '../as-text.ts';
import { writeJson } from '../sql/json.ts';
import type { DeploymentChange, NewDeployment } from './deployment-store.ts';

/** In characters. */
export const deploymentLimits = { name: 2_000, reason: 20_000, detail: 256 * 1024 };

/** `invalid_options` for one that nobody could find again, or whose names are no names. */
export function checkDeployment(deployment: NewDeployment): void {
  const { id, project, target, commit, startedAt } = deployment;
  checkNames({ id, project, target, commit });
  for (const [name, text] of Object.entries({ id, project, target, commit })) {
    if (text !== '') continue;
    throw new ForgeError('invalid_options', `The ${name} of a deployment is empty. Name it.`);
  }
  const { tenant, runId, replaces } = deployment;
  checkNames({ tenant, runId, replaces });
  checkTime('startedAt', startedAt);
}

/** A change as it is kept: without secrets, and no longer than it may be. */
export function checkChange(
  change: DeploymentChange,
  redactor: Redactor | undefined,
): DeploymentChange {
  const { digest, replaces, endedAt, url, reason, detail } = change;
  const clean = (text: string) => asText(redactor?.redact(text) ?? text);
  if (endedAt !== undefined) checkTime('endedAt', endedAt);
  const checked = {
    ...change,
    ...(url !== undefined && { url: clean(url) }),
    ...(reason !== undefined && { reason: shorten(clean(reason)) }),
    ...(detail !== undefined && { detail: redactor ? redactJson(redactor, detail) : detail }),
  };
  checkNames({ digest, replaces, url: checked.url });
  if (checked.detail !== undefined) {
    checkLength('detail', writeJson(checked.detail).length, deploymentLimits.detail);
  }
  return checked;
}

function checkNames(names: Readonly<Record<string, string | undefined>>): void {
  for (const [name, text] of Object.entries(names)) {
    checkLength(name, text?.length ?? 0, deploymentLimits.name);
  }
}

function checkLength(name: string, length: number, most: number): void {
  if (length <= most) return;
  throw new ForgeError(
    'invalid_options',
    `The ${name} of a deployment has ${length} characters; ${most} are allowed. Make it shorter.`,
  );
}

function checkTime(name: string, time: number): void {
  if (Number.isSafeInteger(Math.trunc(time))) return;
  throw new ForgeError(
    'invalid_options',
    `The ${name} of a deployment is ${time}, not a time in milliseconds.`,
  );
}

/** A reason is often all that a command printed. That it failed is worth more than every word of it. */
function shorten(reason: string): string {
  const most = deploymentLimits.reason;
  if (reason.length <= most) return reason;
  const note = ` … (${reason.length} characters in all)`;
  return asText(reason.slice(0, most - note.length)) + note;
}
