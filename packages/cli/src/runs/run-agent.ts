import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { neutralise } from '@forge/core';
import { type CodingResult, codingResult, type Profile } from '@forge/pipeline';
import { exportRunFolder, isBroken, type RunRow } from '@forge/store';
import type { AgentFlags } from '../commands/agent.ts';
import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import { quietReporter } from '../progress/reporter.ts';
import { UsageError } from '../usage-error.ts';
import { projectProfile } from '../workshop/project-profiles.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { agentSettings } from './agent-settings.ts';
import { type AgentSummary, SummaryFold } from './agent-summary.ts';
import { chooseReporter } from './choose-reporter.ts';
import { drive } from './drive.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { familyPast, familyRuns, sumOf } from './family.ts';
import { readRequest } from './read-request.ts';
import { sayNext, sayWhyNot } from './show-end.ts';
import { summaryBox } from './summary-box.ts';
import { withWorkshop } from './with-workshop.ts';
import { type Worked, workOnRun } from './work-on-run.ts';
import { workshopPlace } from './workshop-place.ts';

/** `forge agent`, once its flags are read. */
export async function runAgent(
  text: string,
  {
    flags,
    context,
    verbose,
  }: {
    readonly flags: AgentFlags;
    readonly context: CommandContext;
    readonly verbose: boolean;
  },
): Promise<void> {
  const { outputFormat, detach = false, base, reportFile } = flags;
  if (outputFormat !== 'text' && outputFormat !== 'json') {
    throw new UsageError('--output-format takes one of: text, json.');
  }
  const json = outputFormat === 'json';
  const settings = agentSettings(flags);
  const task = await readRequest(text, { stdin: context.stdin, what: 'task' });
  const place = workshopPlace(context, flags);
  await withWorkshop(context, { flags: settings, ...place }, async (workshop) => {
    const profile = await projectProfile(workshop, settings);
    const run = await workshop.launchAgent(task, {
      ...(base !== undefined && { base }),
    });
    if (detach) return drive(run, { workshop, context, json, verbose, detach });
    const terminal = context.terminal();
    const reporter = json
      ? quietReporter(terminal)
      : chooseReporter(context, run, { json, verbose });
    const worked = await workOnRun({ workshop, context, run, reporter });
    context.endWith(exitCodeOf(worked.view.run, worked.left));
    const end = await endOf(worked, { workshop, context, task, profile });
    if (reportFile !== undefined) await writeReport(resolve(context.cwd, reportFile), end.result);
    for (const line of summaryBox(end.facts)) terminal.err(line);
    if (json) terminal.out(JSON.stringify(end.result));
    else if (end.result.summary !== null) terminal.out(neutralise(end.result.summary));
    if (!json && end.result.branch !== null) terminal.out(`branch ${printable(end.result.branch)}`);
    if (!json && worked.left === 'ended') sayWhyNot(worked.view, terminal);
    sayNext(worked, context);
  });
}

async function endOf(
  { view }: Worked,
  {
    workshop,
    context,
    task,
    profile,
  }: {
    readonly workshop: Workshop;
    readonly context: CommandContext;
    readonly task: string;
    readonly profile: Profile | undefined;
  },
) {
  const { store, root } = workshop;
  const family = await familyRuns(store, view.run.id);
  const summary = await summaryOf(workshop, family);
  const repoPath = view.run.labels['forge.repo'] ?? root;
  const folder = await exportRunFolder({
    store,
    runId: view.run.id,
    folder: join(context.config.stateFolder, 'runs'),
    repoPath,
    config: {
      ...(summary.model !== undefined && { model: summary.model }),
      profile_id: profile?.id ?? null,
    },
  });
  const prompt = sumOf(family, ({ usage }) => usage.inputTokens);
  const completion = sumOf(family, ({ usage }) => usage.outputTokens);
  // The work may have been done by runs below this one.
  const result: CodingResult = {
    ...codingResult({ view, task, repoPath, profile, folder }),
    iterations: sumOf(family, ({ turns }) => turns),
    total_tokens: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    },
    cost_usd: sumOf(family, ({ cost }) => cost),
  };
  const { finishedAt = view.run.updatedAt, createdAt } = view.run;
  const facts = {
    ...summary,
    id: view.run.id,
    state: result.state,
    task,
    durationMs: finishedAt - createdAt,
    iterations: result.iterations,
    tokens: { prompt, completion },
    cost: result.cost_usd,
  };
  return { result, facts };
}

async function summaryOf({ store }: Workshop, family: readonly RunRow[]): Promise<AgentSummary> {
  const fold = new SummaryFold();
  for await (const { event } of familyPast(store, family)) if (!isBroken(event)) fold.add(event);
  return fold.summary;
}

async function writeReport(path: string, result: CodingResult): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`);
}
