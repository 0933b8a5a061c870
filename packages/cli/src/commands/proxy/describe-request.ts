import type { Attempt, Outcome, ProxyEvent } from '@forge/proxy';
import { printable } from '../../printable.ts';
import type { Style, Terminal } from '../../terminal.ts';

const styles: Readonly<Record<Outcome, Style>> = {
  clean: 'green',
  passed: 'dim',
  rescued: 'yellow',
  repaired: 'yellow',
  retried: 'magenta',
  exhausted: ['bold', 'red'],
  failed: 'red',
  refused: 'red',
  cancelled: 'dim',
};

/** Whether a person should see it without having asked for all: something was wrong, or mended. */
export function isWorthALine({ outcome }: ProxyEvent): boolean {
  return outcome !== 'clean' && outcome !== 'passed' && outcome !== 'cancelled';
}

/** One request in one line: when, what became of it, which model, how long, and why. */
export function describeRequest(event: ProxyEvent, style: Terminal['style']): string {
  const { at, took, outcome, status, method, model } = event;
  const what = model === undefined ? `${method} ${event.path}` : model;
  const details = detailsOf(event);
  return [
    style('dim', clock(at)),
    style(styles[outcome], outcome.padEnd(9)),
    printable(what, 60),
    style('dim', `${status} ${duration(took)}`),
    ...(details === '' ? [] : [printable(details)]),
  ].join('  ');
}

function detailsOf({ outcome, attempts, error }: ProxyEvent): string {
  const how = describeAttempts(outcome, attempts);
  return how === '' && error !== undefined ? `${error.kind}: ${error.message}` : how;
}

/** What was done to the replies of a request; nothing where nothing was. */
export function describeAttempts(
  outcome: Outcome | undefined,
  attempts: readonly Attempt[],
): string {
  const last = attempts.at(-1);
  const refused = attempts.filter(({ problems }) => problems.length > 0);
  switch (outcome) {
    case 'rescued':
    case 'repaired':
      return last === undefined ? '' : mended(last);
    case 'retried': {
      const tries = `${refused.length} refused (${problemsOf(refused)})`;
      const won = last === undefined ? '' : `, then right${rung(last)}`;
      return `${tries}${won}${last && mended(last) ? `: ${mended(last)}` : ''}`;
    }
    case 'exhausted':
      return `${attempts.length} replies, none right (${problemsOf(refused)})`;
    default:
      return '';
  }
}

function mended({ format, mended: list }: Attempt): string {
  const found = format === undefined ? [] : [`call found in text (${format})`];
  return [...found, ...list.filter((what) => !what.startsWith('found as text'))].join('; ');
}

function rung({ rung: how }: Attempt): string {
  switch (how) {
    case 'constrained':
      return ' when held to a schema';
    case 'prompt':
      return ' with the tools in the prompt';
    case 'nudged':
      return ' after being told';
    default:
      return '';
  }
}

function problemsOf(attempts: readonly Attempt[]): string {
  return [...new Set(attempts.flatMap(({ problems }) => problems))].join(', ');
}

function clock(at: number): string {
  return new Date(at).toTimeString().slice(0, 8);
}

/** `12 ms`, `1.4 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1_000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
