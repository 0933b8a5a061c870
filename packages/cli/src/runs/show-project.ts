import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import { cutToWidth, displayWidth, padToWidth } from '../progress/display-width.ts';
import type { Terminal } from '../terminal.ts';
import { type ListedRun, projectStatus } from './project-status.ts';
import { stateStyles } from './run-state.ts';
import { shortId } from './short-id.ts';
import { withWorkshop } from './with-workshop.ts';
import { counted, inTime } from './words.ts';

/** `forge status` without a run. */
export async function showProject(
  context: CommandContext,
  { json }: { readonly json: boolean },
): Promise<void> {
  await withWorkshop(context, {}, async (workshop) => {
    const terminal = context.terminal();
    const status = await projectStatus(workshop);
    if (json) {
      terminal.out(JSON.stringify(status));
      return;
    }
    const { projectName, language, deployTarget, live, activeRuns, recentRuns, stats } = status;
    const facts = [language, deployTarget === null ? null : `deploys to ${deployTarget}`];
    const about = facts.filter((fact) => fact !== null).join(', ');
    terminal.out(`${terminal.style('bold', printable(projectName))}  ${about}`.trimEnd());
    if (live !== null) {
      const checked = live.verified === true ? ', verified' : '';
      const where = live.url === undefined ? '' : ` at ${printable(live.url)}`;
      terminal.out(
        `${terminal.style('green', 'live')}  ${live.commit.slice(0, 12)}${where} on ${printable(live.target)}${checked}  ${terminal.style('dim', live.id)}`,
      );
    }
    showRuns(terminal, 'Under way', activeRuns);
    if (status.waitingApprovals > 0) {
      const many = counted(status.waitingApprovals, 'decision');
      terminal.out(terminal.style('yellow', `${many} to take: forge approve`));
    }
    const done = recentRuns.filter((run) =>
      activeRuns.every(({ pipelineId }) => pipelineId !== run.pipelineId),
    );
    showRuns(terminal, 'Last', done);
    if (recentRuns.length === 0) terminal.out('No runs found yet. Begin one: forge run "…"');
    const { totalRuns, totalDeployments, successRate, totalFeedback } = stats;
    terminal.out();
    const rate = successRate === null ? '' : `, ${Math.round(successRate * 100)} % completed`;
    terminal.out(
      terminal.style(
        'dim',
        `${counted(totalRuns, 'run')}${rate}, ${counted(totalDeployments, 'deployment')}, ${counted(totalFeedback, 'verdict')} of people`,
      ),
    );
  });
}

function showRuns(terminal: Terminal, head: string, runs: readonly ListedRun[]): void {
  if (runs.length === 0) return;
  const rows = runs.map(({ pipelineId, state, task, durationMs, agentCount }) => ({
    id: shortId(pipelineId),
    ...{ state, task },
    time: inTime(durationMs),
    below: agentCount === 0 ? '' : counted(agentCount, 'agent run'),
  }));
  const widest = (texts: readonly string[]) => Math.max(...texts.map(displayWidth));
  const ids = widest(rows.map(({ id }) => id));
  const times = widest(rows.map(({ time }) => time));
  const others = 2 + ids + 2 + 9 + 2 + 2 + times + 2 + widest(rows.map(({ below }) => below));
  const room = Math.max(
    12,
    Math.min(widest(rows.map(({ task }) => task)), terminal.columns - others),
  );
  terminal.out();
  terminal.out(terminal.style('bold', head));
  for (const { id, state, task, time, below } of rows) {
    const word = terminal.style(stateStyles[state], state.padEnd(9));
    const about = padToWidth(cutToWidth(task, room), room);
    const figures = terminal.style('dim', `${time.padStart(times)}  ${below}`);
    terminal.out(`  ${id.padEnd(ids)}  ${word}  ${about}  ${figures}`);
  }
}
