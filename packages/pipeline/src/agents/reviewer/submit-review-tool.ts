import { defineTool, ForgeError, type Tool, ToolResolutionError } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import * as z from 'zod';
import { type Finding, findingSchema, type Review } from '../../contracts.ts';
import { readInput } from '../agent-inputs.ts';
import { allChecks, type CheckRecord, failedCommands } from '../checks/check-record.ts';
import type { RunPort, WorkspacePort } from '../ports.ts';
import { readPages } from './review-diff-tool.ts';

const grave: ReadonlySet<string> = new Set(['critical', 'high']);

/**
 * Hands a review in. A verdict that the reviewer's own findings, or the checks it ran itself, speak
 * against is refused with the reason.
 */
export function submitReviewTool({
  workspace,
  runs,
}: {
  readonly workspace: WorkspacePort;
  readonly runs: RunPort;
}): Tool {
  return defineTool({
    name: 'submit_review',
    description: 'Hands in your review and ends it: a verdict, a summary, and findings.',
    input: z.object({
      verdict: z.enum(['pass', 'fail']),
      summary: z.string().min(1).max(8_000),
      findings: z.array(findingSchema).max(100).describe('Empty if there is nothing to say.'),
    }),
    idempotent: true,
    run: async ({ verdict, summary, findings }, { runId, signal }) => {
      const { base, commit } = readInput('reviewer', await runs.inputOf(runId));
      const ran = await allChecks(runs, runId);
      const { path: repo } = await workspace.repoOf(runId);
      const changed = await workspace.changedFiles({ repo, from: base, to: commit, signal });
      const sandbox = await workspace.sandboxOf({ runId, signal });
      const problems = [
        ...(verdict === 'pass' ? againstPass(findings, ran) : againstFail(findings)),
        ...(verdict === 'pass' ? againstUnread(await readPages(runs, runId)) : []),
        ...(await againstPlaces(findings, { changed, sandbox })),
      ];
      if (problems.length > 0) throw new ToolResolutionError(problems.join(' '));
      const review: Review = {
        verdict,
        summary,
        findings,
        checks: ran.at(-1)?.checks ?? [],
        commit,
      };
      return JSON.stringify(review);
    },
  });
}

function againstPass(findings: readonly Finding[], ran: readonly CheckRecord[]): readonly string[] {
  const worst = findings.find(({ severity }) => grave.has(severity));
  const problems: string[] = [];
  const last = ran.at(-1);
  if (last === undefined) {
    problems.push('No run of the checks is there. Call run_checks first.');
  } else if (!last.passed) {
    problems.push(`Work whose checks fail cannot pass: ${failedCommands(last)}.`);
  } else if (!ran.some(({ passed, untouched }) => passed && untouched)) {
    problems.push(
      'The checks have not passed on the work as it is, only after files were changed here. Undo that and call run_checks again; if they fail then, send "fail".',
    );
  }
  if (worst !== undefined) {
    problems.push(
      `Work with a ${worst.severity} finding (${worst.file}) cannot pass. Send "fail", or a lower severity if it is less grave.`,
    );
  }
  return problems;
}

function againstFail(findings: readonly Finding[]): readonly string[] {
  if (findings.length > 0) return [];
  return ['A verdict of "fail" needs at least one finding: what is wrong, and in which file.'];
}

function againstUnread({ unread, cut }: Awaited<ReturnType<typeof readPages>>): readonly string[] {
  const problems: string[] = [];
  if (unread.length > 0) {
    const pages = unread.join(', ');
    problems.push(`Pages ${pages} of the diff were not looked at. Call review_diff for them.`);
  }
  if (cut) {
    problems.push(
      'The diff is longer than can be looked at, so it cannot pass. Send "fail", with a finding that says what does not belong in it.',
    );
  }
  return problems;
}

async function againstPlaces(
  findings: readonly Finding[],
  { changed, sandbox }: { readonly changed: readonly string[]; readonly sandbox: Sandbox },
): Promise<readonly string[]> {
  const known = new Set(changed);
  const problems: string[] = [];
  for (const file of new Set(findings.map((finding) => finding.file))) {
    if (known.has(file) || (await isThere(sandbox, file))) continue;
    problems.push(
      `There is no file "${file}" in the tree or the diff. Name files relative to the workspace, such as ${changed[0] ?? 'src/index.ts'}.`,
    );
  }
  return problems;
}

async function isThere(sandbox: Sandbox, file: string): Promise<boolean> {
  if (file === '' || file.startsWith('/') || file.includes('\0') || /(^|\/)\.\.(\/|$)/.test(file)) {
    return false;
  }
  try {
    await sandbox.readFile(file, { limit: 1 });
    return true;
  } catch (error) {
    if (ForgeError.is(error, 'not_a_file')) return true; // A folder is a place, too.
    if (ForgeError.is(error, 'not_found')) return false;
    throw error;
  }
}
