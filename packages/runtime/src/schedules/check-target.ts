import { ForgeError } from '@forge/core';
import type { ScheduleStore } from './look-at-schedule.ts';

/**
 * Whose a schedule is. A conversation it names has to be there, and to be of the same agent and
 * tenant: nobody is spoken to in somebody else's name.
 */
export async function checkTarget(
  store: ScheduleStore,
  {
    agent,
    tenant,
    runId,
  }: {
    readonly agent?: string | undefined;
    readonly tenant?: string | undefined;
    readonly runId?: string | undefined;
  },
): Promise<{ readonly agent: string; readonly tenant: string | undefined }> {
  if (runId === undefined) {
    if (agent !== undefined && agent !== '') return { agent, tenant };
    throw wrong('agent', 'say which agent it is for, or name a conversation in runId');
  }
  const run = await store.run(runId);
  if (run === undefined) throw wrong('runId', `there is no conversation "${runId}"`);
  if (run.state === 'cancelled') throw wrong('runId', `conversation "${runId}" was cancelled`);
  if (agent !== undefined && agent !== run.agent) {
    throw wrong('agent', `conversation "${runId}" is with "${run.agent}", not "${agent}"`);
  }
  if (tenant !== undefined && tenant !== run.tenant) {
    throw wrong('tenant', `conversation "${runId}" is not of tenant "${tenant}"`);
  }
  return { agent: run.agent, tenant: run.tenant };
}

function wrong(field: string, what: string): ForgeError {
  return new ForgeError('invalid_options', `schedule.${field}: ${what}`);
}
