import type { RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { printable } from '../printable.ts';
import { exitCodeOf } from '../runs/exit-code-of.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { askService } from './ask-service.ts';
import { chooseSandbox, type SandboxChoice } from './choose-sandbox.ts';
import type { DemoOptions } from './demo-options.ts';
import { deployFirst } from './deploy-first.ts';
import { endStory } from './end-story.ts';
import { howToCall } from './how-to-call.ts';
import { type DemoProject, makeProject } from './make-project.ts';
import { type StoryLine, short } from './narrate.ts';
import { openProject } from './open-project.ts';
import { modelLine, projectLine, sandboxLines } from './opening.ts';
import { answerLine, playStory } from './play-story.ts';
import { stopService } from './stop-service.ts';
import { probe, storyRequest } from './story/story-text.ts';
import { storyText } from './story-reporter.ts';
import { waitForKey } from './wait-for-key.ts';

/** Before each reply, so that a person can follow. */
const watchableDelay = 250;

/**
 * The whole story: a project is made and its first version deployed; a request is planned, coded,
 * reviewed, deployed and verified; and the service is asked before and after. Every line it prints
 * is made of events and of answers to requests.
 */
export async function runStory(context: CommandContext, options: DemoOptions): Promise<void> {
  const { signal } = context;
  const terminal = context.terminal();
  const watched = terminal.screen.canRedraw && options.json !== true;
  const tell = teller(context, options);
  tell(modelLine(options.model, context.config));
  const sandbox = await sandboxFor(options, signal);
  for (const line of sandboxLines(sandbox)) tell(line);
  const project = await makeProject({
    folder: options.folder,
    model: options.model,
    ...sandbox,
    delayMs: options.delay ?? (watched ? watchableDelay : 0),
    signal,
  });
  tell(projectLine(project));
  const workshop = await openProject(context, project.folder, project);
  let goesOn = false;
  try {
    goesOn = await liveStory({ context, options, project, workshop, tell });
  } finally {
    if (!goesOn) await stopService(workshop);
    await workshop.close();
  }
  if (options.json !== true && !goesOn) {
    terminal.err('The service is stopped. To remove the project:');
    terminal.err(`  forge demo clean ${project.folder}`);
  }
}

/** From the first deployment to the end. True if the service goes on after it. */
async function liveStory({
  context,
  options,
  project,
  workshop,
  tell,
}: {
  readonly context: CommandContext;
  readonly options: DemoOptions;
  readonly project: DemoProject;
  readonly workshop: Workshop;
  readonly tell: (line: StoryLine) => void;
}): Promise<boolean> {
  const { signal } = context;
  const terminal = context.terminal();
  const { folder, commit } = project;
  const first = await deployFirst(workshop, context, options, project);
  if (first === undefined) {
    terminal.err('Interrupted before anything was asked for.');
    context.endWith(exitCodes.interrupted);
    return false;
  }
  const { url } = first;
  tell({ style: 'green', label: 'deployed', text: `${short(commit)} at ${url}` });
  const before = await askService(url, probe, signal);
  tell(answerLine('before', before));
  const run = await workshop.launchPipeline(storyRequest, { base: commit });
  tell({ style: 'bold', label: 'asked', text: storyRequest });
  const { worked, seen } = await playStory({ workshop, context, options, run, first });
  const { view, left } = worked;
  context.endWith(exitCodeOf(view.run, left));
  if (left === 'paused') {
    tellPaused(context, folder, run);
    return true;
  }
  if (left === 'cancelled') {
    terminal.err('Cancelled. What it did:');
    terminal.err(`  cd ${folder}`);
    terminal.err(`  forge inspect ${short(run.id)}`);
    return options.keep === true;
  }
  const after = await askService(url, probe, signal);
  const answers = { before, between: seen, after };
  const isThere = options.keep === true || waits(options, context);
  await endStory({ context, options, project, workshop, run, url, isThere, answers });
  if (view.run.state !== 'completed') {
    terminal.err(`forge: ${printable(view.run.explanation ?? view.run.state, 2_000)}`);
  }
  if (options.keep !== true && waits(options, context)) {
    terminal.err(`The service goes on at ${url}. Press any key to stop it.`);
    await waitForKey(context.stdin, signal);
  }
  return options.keep === true;
}

/** Tells the story where it is not told as JSON. */
function teller(context: CommandContext, { json }: DemoOptions): (line: StoryLine) => void {
  const terminal = context.terminal();
  return (line) => {
    if (json !== true) for (const text of storyText(terminal, line)) terminal.err(text);
  };
}

async function sandboxFor({ backend }: DemoOptions, signal: AbortSignal): Promise<SandboxChoice> {
  const { makers } = await import('../commands/sandbox/makers.ts');
  const ownNode = process.execPath;
  return chooseSandbox({ wanted: backend, makers: await makers(), ownNode, signal });
}

function waits({ wait, json }: DemoOptions, context: CommandContext): boolean {
  const isTerminal = 'isTTY' in context.stdin && context.stdin.isTTY === true;
  return wait !== false && json !== true && isTerminal && context.terminal().interactive;
}

function tellPaused(context: CommandContext, folder: string, run: RunRow): void {
  const alias = howToCall(process.argv[1] ?? 'forge');
  const lines = [
    'Paused. The service goes on with the version that has the traffic. To go on:',
    `  cd ${folder}`,
    ...(alias === undefined ? [] : [`  ${alias}`]),
    `  forge resume ${short(run.id)}`,
    'To end it instead:',
    `  forge demo clean ${folder}`,
  ];
  for (const line of lines) context.terminal().err(line);
}
