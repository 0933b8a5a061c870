import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DeploymentRow, RunRow, Store } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { printable } from '../printable.ts';
import { cutToWidth } from '../progress/display-width.ts';
import { familyRuns } from '../runs/family.ts';
import { counted, inShort, inTime } from '../runs/words.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { type ServiceAnswer, showRequest } from './ask-service.ts';
import type { DemoOptions } from './demo-options.ts';
import { howToCall } from './how-to-call.ts';
import type { DemoProject } from './make-project.ts';
import { short } from './narrate.ts';
import { probe, visited } from './story/story-text.ts';
import { table } from './table.ts';

interface Ending {
  readonly context: CommandContext;
  readonly options: DemoOptions;
  readonly project: DemoProject;
  readonly workshop: Workshop;
  readonly run: RunRow;
  readonly url: string;
  /** Whether the service can be asked when this is read. */
  readonly isThere: boolean;
  /** What the service said, `between` after each rollback. */
  readonly answers: {
    readonly before: ServiceAnswer;
    readonly between: readonly ServiceAnswer[];
    readonly after: ServiceAnswer;
  };
}

/** What came of it, from the store, from git and from the service itself. */
export async function endStory(ending: Ending): Promise<void> {
  const { context, options, project, workshop, run, url, isThere, answers } = ending;
  const terminal = context.terminal();
  const deployments = await listDeployments(workshop);
  const branch = await newestBranch(project.folder);
  const figures = await figuresOf(workshop.store, run.id);
  if (options.json === true) {
    const { folder, commit, model, backend } = project;
    const result = {
      folder,
      commit,
      model,
      backend,
      runId: run.id,
      url,
      answers: { request: probe, ...answers },
      deployments,
      branch,
      ...figures,
    };
    terminal.out(JSON.stringify({ demo: result }));
    return;
  }
  const head = (text: string) => terminal.out(`\n${terminal.style('bold', text)}`);
  const rows = (cells: readonly (readonly string[])[]) => {
    for (const line of table(cells)) terminal.out(cutToWidth(`  ${line}`, terminal.columns));
  };
  const lines = (texts: readonly string[]) => {
    for (const text of texts) terminal.out(`  ${text}`);
  };
  head(showRequest(probe));
  const said = [
    ['before', answers.before],
    ...answers.between.map((answer) => ['rolled back', answer] as const),
    ['after', answers.after],
  ] as const;
  rows(said.map(([when, { status, text }]) => [when, String(status), text]));
  head('Deployments');
  rows(deployments.map(deploymentRow));
  head(`Branch ${branch?.name ?? '(none)'}`);
  lines(branch?.stat ?? []);
  head('In all');
  const counts = options.model === undefined ? ' (scripted, so estimated)' : '';
  lines([
    `${figures.state} in ${inTime(figures.durationMs)}, ${counted(figures.runs, 'agent run')}, ${inShort(figures.tokens)} tokens${counts}`,
  ]);
  head('Look around');
  const alias = howToCall(process.argv[1] ?? 'forge');
  lines([
    `cd ${project.folder}`,
    ...(alias === undefined ? [] : [alias]),
    `forge inspect ${short(run.id)}`,
    `forge logs ${short(run.id)}`,
    'forge status',
    'git log --graph --oneline --all',
    ...(isThere ? [`curl ${new URL(visited, url)}`] : []),
  ]);
  terminal.out();
}

/** Oldest first, so that it reads as it happened. */
async function listDeployments({ store, project }: Workshop): Promise<readonly DeploymentRow[]> {
  const { items } = await store.deployments.list({ project });
  return items.toReversed();
}

function deploymentRow({ commit, state, verified, reason }: DeploymentRow): readonly string[] {
  const verdict = verified === true ? 'verified' : 'not verified';
  return [short(commit), state.replace('_', ' '), verdict, printable(reason ?? '', 300)];
}

async function figuresOf(store: Store, rootId: string) {
  const family = await familyRuns(store, rootId);
  const root = family.find(({ id }) => id === rootId);
  const tokens = family.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
  const durationMs = (root?.finishedAt ?? root?.updatedAt ?? 0) - (root?.createdAt ?? 0);
  return { state: root?.state ?? 'gone', runs: family.length, tokens, durationMs };
}

/** The branch the run left, with what it changes. */
async function newestBranch(
  folder: string,
): Promise<{ readonly name: string; readonly stat: readonly string[] } | undefined> {
  const [name] = await git(folder, [
    'for-each-ref',
    '--sort=-creatordate',
    '--count=1',
    '--format=%(refname:short)',
    'refs/heads/forge/',
  ]);
  if (name === undefined) return undefined;
  return { name, stat: await git(folder, ['diff', '--stat', '--no-color', `main...${name}`]) };
}

async function git(cwd: string, args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('git', ['-c', 'core.pager=cat', ...args], { cwd });
  return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}
