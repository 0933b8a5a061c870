import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { JsonObject } from '@forge/core';
import { type Finding, type Review, reviewSchema } from '@forge/pipeline';
import type { CommandContext } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { printable } from '../printable.ts';
import { quietReporter } from '../progress/reporter.ts';
import type { Style, Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { chooseReporter } from './choose-reporter.ts';
import { drive } from './drive.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { outputOf } from './pipeline-result.ts';
import { showEnd } from './show-end.ts';
import { withWorkshop } from './with-workshop.ts';
import { counted } from './words.ts';
import { type Worked, workOnRun } from './work-on-run.ts';
import { workshopPlace } from './workshop-place.ts';

/** `forge review`, once its flags are read. */
export async function reviewChanges(
  what: string | undefined,
  {
    context,
    verbose,
    json = false,
    detach = false,
    repo,
    config,
    model,
  }: {
    readonly context: CommandContext;
    readonly verbose: boolean;
    readonly json?: boolean;
    readonly detach?: boolean;
    readonly repo?: string;
    readonly config?: string;
    readonly model?: string;
  },
): Promise<void> {
  const subject = await subjectOf(what, repo, context.cwd);
  const place = workshopPlace(context, { repo: subject.repo, config });
  const flags: JsonObject = model === undefined ? {} : { model };
  await withWorkshop(context, { flags, ...place }, async (workshop) => {
    const run = await workshop.launchReview({
      ...(subject.range !== undefined && { range: subject.range }),
    });
    if (detach) return drive(run, { workshop, context, json, verbose, detach });
    const terminal = context.terminal();
    const reporter = json
      ? quietReporter(terminal)
      : chooseReporter(context, run, { json, verbose });
    const worked = await workOnRun({ workshop, context, run, reporter });
    const review = reviewOf(worked);
    context.endWith(codeOf(worked, review));
    if (review === undefined) return showEnd(worked, { workshop, context, json });
    if (json) terminal.out(JSON.stringify({ run_id: run.id, ...review }));
    else showReview(review, terminal);
  });
}

/**
 * A path is that of a repository; all else is a range. Changes of a part of one are not reviewed: what
 * they do to the rest would be left out.
 */
async function subjectOf(what: string | undefined, repo: string | undefined, cwd: string) {
  const path = resolve(cwd, what ?? '');
  if (what === undefined || !existsSync(path)) return { repo, range: what };
  if (repo !== undefined) {
    throw new UsageError(`${what} is a path, and --repo names a repository. Write one of them.`);
  }
  const { inspectRepository } = await import('@forge/pipeline');
  const { root } = await inspectRepository(statSync(path).isDirectory() ? path : dirname(path));
  if (root === realpathSync(path)) return { repo: path, range: undefined };
  throw new UsageError(
    `${what} is a part of the repository ${root}, and changes are reviewed as a whole. Give a range of commits, such as HEAD~1..HEAD.`,
  );
}

function reviewOf({ view, left }: Worked): Review | undefined {
  const read = reviewSchema.safeParse(outputOf(view));
  return read.success && left === 'ended' ? read.data : undefined;
}

function codeOf({ view, left }: Worked, review: Review | undefined): number {
  const code = exitCodeOf(view.run, left);
  return code === exitCodes.ok && review?.verdict !== 'pass' ? exitCodes.failed : code;
}

const severities = ['critical', 'high', 'medium', 'low', 'info'] as const;
const styles: Readonly<Record<Finding['severity'], Style>> = {
  critical: 'red',
  high: 'red',
  medium: 'yellow',
  low: 'cyan',
  info: 'dim',
};

/** The worst first, then by file and line. */
function showReview({ verdict, summary, findings, checks }: Review, terminal: Terminal): void {
  const sorted = findings.toSorted(
    (a, b) =>
      severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
      (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)),
  );
  for (const { severity, file, line, message } of sorted) {
    const where = printable(line === undefined ? file : `${file}:${line}`, 500);
    terminal.out(`${terminal.style(styles[severity], severity.padEnd(8))}  ${where}`);
    terminal.out(`          ${printable(message, 4_000)}`);
  }
  for (const { command, passed } of checks) {
    const word = passed ? terminal.style('green', 'passed') : terminal.style('red', 'failed');
    terminal.out(`${word}    ${printable(command, 500)}`);
  }
  const word = terminal.style(verdict === 'pass' ? 'green' : 'red', verdict);
  terminal.out(`${word}  ${counted(findings.length, 'finding')}. ${printable(summary, 8_000)}`);
}
