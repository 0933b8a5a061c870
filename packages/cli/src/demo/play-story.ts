import type { RunRow } from '@forge/store';
import type { CommandContext } from '../context.ts';
import { type Worked, workOnRun } from '../runs/work-on-run.ts';
import type { Workshop } from '../workshop/workshop.ts';
import { askService, type ServiceAnswer, showRequest } from './ask-service.ts';
import type { DemoOptions } from './demo-options.ts';
import type { First } from './deploy-first.ts';
import type { StoryLine } from './narrate.ts';
import { reporterFor } from './reporter-for.ts';
import { probe } from './story/story-text.ts';
import { storyReporter, storyText } from './story-reporter.ts';

/** Plays the run. When the traffic was given back, the service is asked who answers. */
export async function playStory({
  workshop,
  context,
  options,
  run,
  first: { url, deploymentId, commit },
}: {
  readonly workshop: Workshop;
  readonly context: CommandContext;
  readonly options: DemoOptions;
  readonly run: RunRow;
  readonly first: First;
}): Promise<{ readonly worked: Worked; readonly seen: readonly ServiceAnswer[] }> {
  const terminal = context.terminal();
  const asking: Promise<ServiceAnswer>[] = [];
  const inner = reporterFor(context, options, run);
  const note = (line: StoryLine): void => {
    for (const text of storyText(terminal, line)) inner.note(text);
  };
  const ask = async (): Promise<ServiceAnswer> => {
    const answer = await askService(url, probe, context.signal);
    if (options.json !== true) note(answerLine('now', answer));
    return answer;
  };
  const reporter = storyReporter({
    reporter: inner,
    terminal,
    rootId: run.id,
    tells: options.json !== true,
    deployed: new Map([[deploymentId, commit]]),
    onStep: (name) => {
      if (name === 'rollback') asking.push(ask());
    },
  });
  const worked = await workOnRun({ workshop, context, run, reporter });
  return { worked, seen: await Promise.all(asking) };
}

export function answerLine(label: string, { status, text }: ServiceAnswer): StoryLine {
  return { style: 'cyan', label, text: `${showRequest(probe)} → ${status} ${text}` };
}
