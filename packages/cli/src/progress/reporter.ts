import type { RunEvent } from '@forge/core';
import { bareAgent } from '@forge/pipeline/names';
import { isBroken, type RunRow } from '@forge/store';
import { printable } from '../printable.ts';
import { describeEvent } from '../runs/describe-event.ts';
import type { FamilyEvent } from '../runs/family.ts';
import { inClock } from '../runs/words.ts';
import type { Terminal } from '../terminal.ts';
import type { Progress } from './progress.ts';

/** A step of a pipeline that no run stands for. */
export interface PlannedStep {
  readonly name: string;
  readonly status: 'pending' | 'skipped';
}

/** Shows how a family of runs gets on. */
export interface Reporter {
  event(progress: Progress, happened: FamilyEvent): void;
  /** Steps that are still to come, or were passed over. */
  plan?(steps: readonly PlannedStep[]): void;
  /** Something to say beside the events. */
  note(line: string): void;
  /** While it is suspended, others may use the terminal. */
  suspend(): void;
  resume(): void;
  /** Shows the last of it. The terminal is as it was before. */
  end(): void;
}

/** Nothing is drawn that would be in somebody's way. */
const undrawn = { suspend: () => {}, resume: () => {}, end: () => {} };

/** For programs: an object per line, on the standard output. */
export function jsonReporter(terminal: Terminal): Reporter {
  return {
    event: (_, { run, event }) => {
      if (isBroken(event)) return;
      terminal.out(JSON.stringify(toJson(run, event)));
    },
    note: (line) => terminal.err(line),
    ...undrawn,
  };
}

/** An event with what a program that shows it needs. */
export function toJson(
  run: { readonly id: string; readonly rootId: string; readonly agent: string },
  event: RunEvent,
): Record<string, unknown> {
  const { level, text } = describeEvent(event);
  return {
    runId: run.id,
    rootId: run.rootId,
    agent: bareAgent(run.agent),
    level,
    message: text,
    event,
  };
}

/** Lines one after the other, where nothing can be drawn over. */
export function plainReporter(
  terminal: Terminal,
  { verbose }: { readonly verbose: boolean },
): Reporter {
  return {
    event: (progress, happened) => {
      const name = nameInLines(progress, happened.run);
      const line = eventLine(name, happened, { verbose, style: terminal.screen.style });
      if (line !== undefined) terminal.err(line);
    },
    note: (line) => terminal.err(line),
    ...undrawn,
  };
}

/** Says nothing of events. */
export function quietReporter(terminal: Terminal): Reporter {
  return {
    event: () => {},
    note: (line) => terminal.err(line),
    ...undrawn,
  };
}

/** How a run is called where lines of several stand below each other: at the top, by its agent. */
export function nameInLines(
  progress: Progress,
  { id, agent, parentId }: Pick<RunRow, 'id' | 'agent' | 'parentId'>,
): string {
  const name = parentId === undefined ? undefined : progress.get(id)?.name;
  return printable(name ?? bareAgent(agent), 40);
}

const levelStyles = { info: 'reset', warn: 'yellow', error: 'red' } as const;

/** An event as a line with its time and who it is about; undefined for one that is only a detail. */
export function eventLine(
  name: string,
  { event }: Pick<FamilyEvent, 'event'>,
  { verbose, style }: { readonly verbose: boolean; readonly style: Terminal['style'] },
): string | undefined {
  if (isBroken(event)) {
    return `${style('red', 'event')} ${event.seq} of ${name} cannot be read: ${event.broken}`;
  }
  const { level, detail, text } = describeEvent(event);
  if (detail && !verbose) return undefined;
  const words = level === 'info' ? text : style(levelStyles[level], text);
  return `${style('dim', inClock(event.at))}  ${style('bold', name)}  ${words}`;
}
