import { createHash } from 'node:crypto';
import {
  defineTool,
  ForgeError,
  type Tool,
  type ToolContext,
  ToolResolutionError,
} from '@forge/core';
import type { RunRow } from '@forge/store';
import { describeSchedule, describeSchedules } from './describe-schedule.ts';
import type { ScheduleStore } from './look-at-schedule.ts';
import { createInput, idInput, listInput, readRule, updateInput } from './schedule-tool-inputs.ts';
import type { ScheduleView } from './schedule-view.ts';
import type { Schedules } from './schedules-api.ts';

export interface ScheduleToolsOptions {
  readonly schedules: Schedules;
  readonly store: Pick<ScheduleStore, 'run'>;
  /**
   * Whether an agent may have another conversation spoken in than its own. Default: never, so that
   * nothing private is said where others read it. Agent and tenant have to be the same in any case.
   */
  readonly mayTarget?: (from: RunRow, target: RunRow) => boolean | Promise<boolean>;
}

/**
 * Tools with which an agent sets reminders and standing orders for itself. What is due comes back
 * to the agent, in the conversation it was asked in, and the agent decides what to do about it. It
 * sees and changes only the schedules of that conversation, and the one whose run it is.
 */
export function scheduleTools({
  schedules,
  store,
  mayTarget,
}: ScheduleToolsOptions): readonly Tool[] {
  const own = async (id: string, context: ToolContext) => {
    const mine = await ownSchedules(context);
    const found = mine.views.find((view) => view.id === id);
    if (found !== undefined) return found;
    const ids = mine.views.map((view) => view.id).join(', ') || 'none';
    throw new ToolResolutionError(`There is no schedule "${id}" here. The schedules here: ${ids}.`);
  };
  const ownSchedules = async ({ runId }: ToolContext) => {
    const { run, conversation } = await whereAmI(store, runId);
    const all = await schedules.list({ agent: conversation.agent });
    const views = all.filter(
      (view) => view.tenant === conversation.tenant && isOf(view, { run, conversation }),
    );
    return { run, conversation, views };
  };
  const targetOf = async (conversation: RunRow, asked: string | undefined) => {
    if (asked === undefined || asked === 'here') return { runId: conversation.id };
    if (asked === 'new') return {};
    if (asked === conversation.id) return { runId: asked };
    const target = await store.run(asked);
    if (target !== undefined && (await mayTarget?.(conversation, target))) return { runId: asked };
    throw new ToolResolutionError(
      `There is no conversation "${asked}" that you may speak in. Leave conversation out to be told here.`,
    );
  };

  const create = defineTool({
    name: 'create_schedule',
    description:
      'Sets a reminder or a standing order for yourself. When it is due you get your message back in this conversation and decide what to do then. Nobody else sees the message.',
    input: createInput,
    idempotent: true,
    run: async (
      { message, name, zone, until, max_times, conversation: asked, ...when },
      context,
    ) => {
      // The same call is the same schedule, however often it is tried.
      const id = idFor(context.idempotencyKey);
      const known = await schedules.get(id);
      if (known !== undefined) return describeSchedule(known, 'Created');
      const { run, conversation } = await whereAmI(store, context.runId);
      const made = await schedules.create({
        id,
        agent: conversation.agent,
        ...(conversation.tenant !== undefined && { tenant: conversation.tenant }),
        ...(await targetOf(conversation, asked)),
        origin: conversation.id,
        ...(run.labels.schedule !== undefined && { madeBy: run.labels.schedule }),
        input: message,
        rule: readRule('create_schedule', when),
        ...(name !== undefined && { name }),
        ...(zone !== undefined && { zone }),
        ...(until !== undefined && { until }),
        ...(max_times !== undefined && { maxCount: max_times }),
      });
      return describeSchedule(made, 'Created');
    },
  });

  const list = defineTool({
    name: 'list_schedules',
    description: 'Shows your reminders and standing orders in this conversation, with their ids.',
    input: listInput,
    idempotent: true,
    run: async (_, context) => describeSchedules((await ownSchedules(context)).views),
  });

  const update = defineTool({
    name: 'update_schedule',
    description: 'Changes a schedule: its message, its time, or whether it is paused.',
    input: updateInput,
    idempotent: true,
    run: async ({ id, message, name, zone, until, max_times, paused, ...when }, context) => {
      await own(id, context);
      const isTimed = Object.values(when).some((value) => value !== undefined);
      const changes = {
        ...(message !== undefined && { input: message }),
        ...(name !== undefined && { name }),
        ...(zone !== undefined && { zone }),
        ...(until !== undefined && { until }),
        ...(max_times !== undefined && { maxCount: max_times }),
        ...(isTimed && { rule: readRule('update_schedule', when) }),
      };
      if (Object.keys(changes).length > 0) await schedules.update(id, changes);
      if (paused !== undefined) await (paused ? schedules.pause(id) : schedules.resume(id));
      return describeSchedule(await own(id, context), 'Changed');
    },
  });

  const cancel = defineTool({
    name: 'cancel_schedule',
    description: 'Ends a schedule for good. Its id is in list_schedules.',
    input: idInput,
    idempotent: true,
    run: async ({ id }, context) => {
      const here = await whereAmI(store, context.runId);
      const known = await schedules.get(id);
      // Tried again after a crash, it is as it should be.
      if (known?.state === 'ended' && isOf(known, here)) return `Schedule ${id} is cancelled.`;
      await own(id, context);
      await schedules.cancel(id);
      return `Schedule ${id} is cancelled.`;
    },
  });

  return [create, list, update, cancel];
}

/** The run a tool is called in, and the conversation at its top: a helper's run ends with its task. */
async function whereAmI(store: Pick<ScheduleStore, 'run'>, runId: string) {
  const run = await store.run(runId);
  const conversation = run && run.rootId !== run.id ? await store.run(run.rootId) : run;
  if (run !== undefined && conversation !== undefined) return { run, conversation };
  throw new ForgeError('not_found', `There is no run "${runId}" to set a schedule for.`);
}

/** Made here, for here, or the one this run comes from. */
function isOf(
  { id, runId, origin }: ScheduleView,
  { run, conversation }: { readonly run: RunRow; readonly conversation: RunRow },
): boolean {
  return [runId, origin].includes(conversation.id) || id === run.labels.schedule;
}

function idFor(idempotencyKey: string): string {
  return `s-${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 16)}`;
}
