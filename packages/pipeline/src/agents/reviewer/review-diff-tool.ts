import { defineTool, type Tool, ToolOutput, ToolResolutionError, text } from '@forge/core';
import type { Results } from '@forge/tools';
import * as z from 'zod';
import { readInput } from '../agent-inputs.ts';
import type { RunPort, WorkspacePort } from '../ports.ts';
import { readRecord } from '../read-record.ts';
import { shownNames } from '../shown-names.ts';

export const reviewDiff = 'review_diff';

/** Characters of a page, and pages of a diff. What is longer cannot pass. */
const pageChars = 40_000;
const mostPages = 25;

const recordSchema = z.object({ page: z.number(), pages: z.number(), cut: z.boolean() });

/** Shows what the work changed, page by page, and notes which pages were looked at. */
export function reviewDiffTool({
  workspace,
  runs,
  results,
}: {
  readonly workspace: WorkspacePort;
  readonly runs: RunPort;
  readonly results: Results;
}): Tool {
  return defineTool({
    name: reviewDiff,
    description:
      'Shows what the work changed, as a diff. Long ones have pages: look at all of them.',
    input: z.object({ page: z.int().min(1).max(mostPages).optional().describe('Default 1.') }),
    idempotent: true,
    run: async ({ page = 1 }, { runId, signal }) => {
      const { base, commit } = readInput('reviewer', await runs.inputOf(runId));
      const { path: repo } = await workspace.repoOf(runId);
      const range = { repo, from: base, to: commit, signal };
      const files = await workspace.changedFiles(range);
      const diff = await workspace.diff({ ...range, cutAt: pageChars * mostPages });
      const pages = Math.max(1, Math.min(mostPages, Math.ceil(diff.text.length / pageChars)));
      if (page > pages) {
        throw new ToolResolutionError(`The diff has ${pages} pages; there is no page ${page}.`);
      }
      const part = visible(diff.text.slice((page - 1) * pageChars, page * pageChars));
      const shown =
        part === ''
          ? 'Nothing is changed.'
          : await results.showWorkspace({ source: 'the diff', content: part, whole: true });
      const notes = [
        `Changed files (${files.length}): ${shownNames(files, 200)}`,
        `Page ${page} of ${pages}.${page < pages ? ` Go on with review_diff {"page": ${page + 1}}.` : ''}`,
        ...(diff.cut && page === pages
          ? ['The diff is longer than this, and longer than can be looked at: it cannot pass.']
          : []),
      ];
      return new ToolOutput([
        text(`${notes[0]}\n\n${shown}\n\n[${notes.slice(1).join(' ')}]`),
        text(JSON.stringify({ page, pages, cut: diff.cut })),
      ]);
    },
  });
}

/** What was looked at of the diff in this run. */
export async function readPages(
  runs: RunPort,
  runId: string,
): Promise<{ readonly unread: readonly number[]; readonly cut: boolean }> {
  const seen = (await runs.resultsOf(runId, reviewDiff)).flatMap(
    (texts) => readRecord(recordSchema, texts) ?? [],
  );
  const pages = Math.max(1, ...seen.map((each) => each.pages));
  const read = new Set(seen.map(({ page }) => page));
  const all = Array.from({ length: pages }, (_, index) => index + 1);
  return { unread: all.filter((page) => !read.has(page)), cut: seen.some(({ cut }) => cut) };
}

/** Control characters by name: what looks like an order to a terminal could take code away with it. */
function visible(text: string): string {
  const code = (character: string) => character.charCodeAt(0).toString(16).toUpperCase();
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}--[\t\n\r]]/gv, (each) => `<U+${code(each).padStart(4, '0')}>`);
}
