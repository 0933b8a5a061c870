import { isBroken } from '@forge/store';
import { printable } from '../printable.ts';
import type { Reporter } from '../progress/reporter.ts';
import type { FamilyEvent } from '../runs/family.ts';
import type { Terminal } from '../terminal.ts';
import { wrapText } from '../wrap-text.ts';
import { narrator, type StoryLine } from './narrate.ts';

const labelWidth = 15;
const widest = 110;
/** Of one line of the story, however long a model's summary is. */
const mostText = 600;

/** A reporter that also tells the story of the run at the top, line by line, above what it draws. */
export function storyReporter({
  reporter,
  terminal,
  rootId,
  tells,
  deployed,
  onStep,
}: {
  readonly reporter: Reporter;
  readonly terminal: Terminal;
  readonly rootId: string;
  /** False: it is only listened to. */
  readonly tells: boolean;
  /** Commits by the id of their deployment, from before this run. */
  readonly deployed: ReadonlyMap<string, string>;
  /** A node of the pipeline has ended. */
  readonly onStep: (name: string) => void;
}): Reporter {
  const narrate = narrator(deployed);
  const tell = (line: StoryLine): void => {
    for (const text of storyText(terminal, line)) reporter.note(text);
  };
  return {
    ...bound(reporter),
    event: (progress, happened: FamilyEvent) => {
      reporter.event(progress, happened);
      const { run, event } = happened;
      if (run.id !== rootId || isBroken(event)) return;
      if (tells) for (const line of narrate(event)) tell(line);
      if (event.type === 'tool.finished') onStep(event.name);
    },
  };
}

/** The methods of a reporter that may be an instance of a class. */
function bound(reporter: Reporter): Reporter {
  return {
    event: (progress, happened) => reporter.event(progress, happened),
    plan: (steps) => reporter.plan?.(steps),
    note: (line) => reporter.note(line),
    suspend: () => reporter.suspend(),
    resume: () => reporter.resume(),
    end: () => reporter.end(),
  };
}

/** A line of the story as lines of a terminal. */
export function storyText(terminal: Terminal, { style, label, text }: StoryLine): string[] {
  const room = Math.max(20, Math.min(terminal.screen.columns, widest) - labelWidth - 2);
  return wrapText(printable(text, mostText), room).map((line, index) => {
    const head = (index === 0 ? label : '').padEnd(labelWidth);
    return `${terminal.screen.style(style, head)} ${line}`;
  });
}
