import { ForgeError } from '@forge/core';
import { bareAgent, projectAgent } from '@forge/pipeline/names';
import { createSchedules, type NewRule, type Schedules, type ScheduleView } from '@forge/runtime';
import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import { readSpan } from '../read-span.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { projectLabel } from '../workshop/labels.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { decider } from './decider.ts';
import { shortId } from './short-id.ts';
import { withWorkshop } from './with-workshop.ts';
import { counted } from './words.ts';

export async function listSchedules(
  context: CommandContext,
  { all, json }: { readonly all: boolean; readonly json: boolean },
): Promise<void> {
  await withSchedules(context, async (schedules) => {
    const terminal = context.terminal();
    const views = await schedules.list({ ended: all });
    if (json) terminal.out(JSON.stringify(views));
    else if (views.length === 0) terminal.out('There are no schedules.');
    else for (const view of views) show(view, terminal);
  });
}

/** What `forge schedule add` may be told beside the task. */
export interface ScheduleFlags {
  readonly agent: string;
  readonly cron?: string;
  readonly every?: string;
  readonly at?: string;
  readonly in?: string;
  readonly zone?: string;
  readonly name?: string;
  readonly times?: string;
  readonly json?: boolean;
}

export async function addNewSchedule(
  context: CommandContext,
  flags: ScheduleFlags & { readonly task: string },
): Promise<void> {
  const rule = ruleOf(flags);
  const { task, agent, name, times, json = false } = flags;
  const maxCount = times === undefined ? undefined : Number(times);
  if (maxCount !== undefined && !(Number.isInteger(maxCount) && maxCount > 0)) {
    throw new UsageError('--times takes a whole number from 1, such as 10.');
  }
  const zone = flags.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  await withWorkshop(context, {}, async (workshop) => {
    const schedules = createSchedules({ store: workshop.store });
    const view = await schedules.create({
      agent: await agentOf(workshop, agent),
      labels: await labelsOf(workshop),
      rule,
      zone,
      input: task,
      ...(name !== undefined && { name }),
      ...(maxCount !== undefined && { maxCount }),
    });
    const terminal = context.terminal();
    if (json) terminal.out(JSON.stringify(view));
    else show(view, terminal);
  });
}

export async function changeSchedule(
  context: CommandContext,
  {
    id,
    name,
    json,
  }: {
    readonly id: string;
    readonly name: 'pause' | 'resume' | 'remove' | 'run';
    readonly json: boolean;
  },
): Promise<void> {
  await withSchedules(context, async (schedules) => {
    const terminal = context.terminal();
    const found = await findSchedule(schedules, id);
    if (name === 'run') {
      const { runId } = await schedules.runNow(found.id, { by: decider().by });
      if (json) terminal.out(JSON.stringify({ scheduleId: found.id, runId }));
      else
        terminal.out(
          `Run ${shortId(runId)} waits for a worker. Follow it: forge logs -f ${shortId(runId)}`,
        );
      return;
    }
    const change = { pause: schedules.pause, resume: schedules.resume, remove: schedules.cancel };
    const view = await change[name](found.id);
    if (json) terminal.out(JSON.stringify(view));
    else show(view, terminal);
  });
}

/** The agent of this project by that name: workers of other projects leave its runs alone. */
async function agentOf({ agents, project }: Workshop, name: string): Promise<string> {
  const known = (await agents()).map((agent) => agent.name);
  const found = [projectAgent(project, name), name].find((each) => known.includes(each));
  if (found !== undefined) return found;
  const names = [...new Set(known.map(bareAgent))].toSorted();
  throw new UsageError(
    `There is no agent ${printable(name, 80)} in ${printable(project)}. There are: ${names.join(', ')}.`,
  );
}

/** What a run of this project carries. It works on the commit that is checked out now. */
async function labelsOf({ root, project }: Workshop): Promise<Readonly<Record<string, string>>> {
  const { inspectRepository, repoLabel } = await import('@forge/pipeline');
  const facts = await inspectRepository(root).catch((error: unknown) => {
    if (ForgeError.is(error)) return undefined;
    throw error;
  });
  return {
    [projectLabel]: project,
    ...(facts?.head !== undefined && { [repoLabel]: facts.root }),
  };
}

function withSchedules(
  context: CommandContext,
  work: (schedules: Schedules) => Promise<void>,
): Promise<void> {
  return withWorkshop(context, {}, ({ store }) => work(createSchedules({ store })));
}

async function findSchedule(schedules: Schedules, id: string): Promise<ScheduleView> {
  const exact = await schedules.get(id);
  if (exact !== undefined) return exact;
  const found = (await schedules.list({ ended: true })).filter((view) => view.id.startsWith(id));
  const [only, ...others] = id.length < 4 ? [] : found;
  if (only !== undefined && others.length === 0) return only;
  throw new ForgeError(
    'not_found',
    only === undefined
      ? `There is no schedule ${printable(id, 80)}. "forge schedule list" shows them.`
      : `${found.length} schedules begin with ${printable(id, 80)}: ${found.map((view) => view.id).join(', ')}.`,
  );
}

function ruleOf({
  cron,
  every,
  at,
  in: after,
}: {
  readonly cron?: string;
  readonly every?: string;
  readonly at?: string;
  readonly in?: string;
}): NewRule {
  const rules: NewRule[] = [];
  if (cron !== undefined) rules.push({ type: 'cron', cron });
  if (every !== undefined) rules.push({ type: 'every', every: spanOf('--every', every) });
  if (at !== undefined) rules.push({ type: 'once', at });
  if (after !== undefined) rules.push({ type: 'once', after: spanOf('--in', after) });
  const [rule] = rules;
  if (rule === undefined || rules.length > 1) {
    throw new UsageError('When? Write one of --cron, --every, --at and --in.');
  }
  return rule;
}

function spanOf(flag: string, text: string): number {
  const span = readSpan(text);
  if (span === undefined) throw new UsageError(`${flag} takes a span such as 30m, 2h or 1d.`);
  return span;
}

function show(view: ScheduleView, terminal: Terminal): void {
  const { id, state, spec, rule, preview, agent, fired, warnings } = view;
  const look = { active: 'green', paused: 'yellow', ended: 'dim' } as const;
  const name = spec?.name === undefined ? '' : `  ${printable(spec.name)}`;
  terminal.out(`${terminal.style('bold', id)}  ${terminal.style(look[state], state)}${name}`);
  terminal.out(
    `  ${rule}, tells ${printable(bareAgent(agent))}: ${printable(spec?.input ?? '', 120)}`,
  );
  const next = preview.slice(0, 3).join('; ');
  if (next !== '') terminal.out(terminal.style('dim', `  next ${next}`));
  if (fired > 0) terminal.out(terminal.style('dim', `  fired ${counted(fired, 'time')}`));
  for (const warning of warnings) terminal.err(`note: ${printable(warning, 500)}`);
}
