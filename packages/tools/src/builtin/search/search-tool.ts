import { defineTool, ForgeError, type Tool } from '@forge/core';
import type { ExecResult, Sandbox } from '@forge/sandbox';
import type { Results } from '../../results/create-results.ts';
import { explainRefusal, startConfined } from '../inside/confined.ts';
import { QuotingError, showQuote } from '../inside/quoting-error.ts';
import { readPieces } from '../inside/read-pieces.ts';
import { endedBySelf, saidOf } from '../inside/run-inside.ts';
import { workspacePath } from '../inside/workspace-path.ts';
import type { Toolbox } from '../toolbox.ts';
import { globPattern } from './glob-pattern.ts';
import { readGrepLine } from './grep-line.ts';
import { type FoundLine, readRgMessage } from './rg-match.ts';
import { grepArguments, grepScript, rgArguments, rgScript } from './search-commands.ts';
import { type SearchInput, searchInput } from './search-input.ts';

const grepNote =
  '[Searched with grep -E, as ripgrep is not in this sandbox: without regard to .gitignore, and with no lines of context.]';

/** No program under that name; said by the scripts. */
const noProgram = 90;

export function searchTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'search',
    description:
      'Searches the files of the workspace for a regular expression (ripgrep). Gives file:line: content.',
    input: searchInput,
    idempotent: true,
    run: async (args, context) => {
      const sandbox = await sandboxOf(context);
      const found =
        (await search(sandbox, { args, program: 'rg' }, context.signal)) ??
        (await search(sandbox, { args, program: 'grep' }, context.signal));
      if (found === undefined) {
        throw new ForgeError('tool_failed', 'Neither rg nor grep is in this sandbox.');
      }
      const notes = [...found.notes, ...(await unsearchedPart(results, found))];
      const { lines } = found;
      if (lines.length === 0) return ['No matches found.', ...notes].join('\n');
      const content = lines.map(({ type, file, line, content: text }) =>
        type === 'match' ? `${file}:${line}: ${text}` : `${file}-${line}- ${text}`,
      );
      const shown = await results.showWorkspace({ source: 'search', content: content.join('\n') });
      return [shown, ...notes].join('\n');
    },
  });
}

interface Found {
  readonly lines: readonly FoundLine[];
  readonly notes: readonly string[];
  /** What the program said of files it could not search. */
  readonly unsearched?: string;
}

async function unsearchedPart(results: Results, { unsearched = '' }: Found): Promise<string[]> {
  if (unsearched === '') return [];
  return ['[Not everything could be searched:]', await showQuote(results, { quote: unsearched })];
}

/** Undefined if the program is not there. */
async function search(
  sandbox: Sandbox,
  { args, program }: { readonly args: SearchInput; readonly program: 'rg' | 'grep' },
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { path = '.', max_results: most = 100 } = args;
  const isRg = program === 'rg';
  const read = isRg ? readRgMessage : readGrepLine;
  const wanted = isRg ? () => true : wantedFile(args.glob);
  const prefix = workspacePath(path, sandbox.workspace);
  const script = {
    sandbox,
    path,
    script: isRg ? rgScript : grepScript,
    args: isRg ? rgArguments(args) : grepArguments(args),
  };
  const lines: FoundLine[] = [];
  let matches = 0;
  let tooLong = 0;
  const take = (piece: Uint8Array | undefined): boolean => {
    if (piece === undefined) {
      tooLong++;
      return true;
    }
    const found = read(piece);
    if (found === undefined || !wanted(found.file)) return true;
    if (found.type === 'match' && ++matches > most) return false;
    lines.push({ ...found, file: placed(prefix, found.file) });
    return true;
  };
  const execution = startConfined(script, signal);
  const { result, stopped } = await readPieces({ execution, end: 10, take });
  if (!stopped) {
    if (result.exitCode === noProgram) return undefined;
    explainRefusal(script, endedBySelf(result, program, signal));
    // What rg says besides is that there was nothing to search; grep only speaks of errors.
    const failed = result.exitCode > 1 || (!isRg && result.stderr.length > 0);
    if (failed && lines.length === 0) throw unsearched(args.pattern, result);
  }
  const partly = !stopped && result.exitCode > 1;
  return {
    lines: lines.sort(inOrder),
    notes: notesOf({ stopped, most, tooLong, isRg }),
    ...(partly && { unsearched: saidOf(result, 300) || `exit code ${result.exitCode}` }),
  };
}

function notesOf(facts: {
  readonly stopped: boolean;
  readonly most: number;
  readonly tooLong: number;
  readonly isRg: boolean;
}): string[] {
  const { stopped, most, tooLong, isRg } = facts;
  const notes: string[] = [];
  if (stopped)
    notes.push(
      `[Stopped after ${most} matches, there are more. Narrow the pattern, path or glob, or raise max_results.]`,
    );
  if (tooLong > 0) notes.push(`[${tooLong} matching lines are too long to be shown.]`);
  if (!isRg) notes.push(grepNote);
  return notes;
}

function wantedFile(glob: string | undefined): (file: string) => boolean {
  const matches = glob === undefined ? () => true : globPattern(glob);
  return (file) => matches(file) && !file.split('/').includes('.git');
}

/** The path as it is in the workspace. A file that was searched alone came in by its content. */
function placed(prefix: string, file: string): string {
  if (file === '<stdin>') return prefix;
  return prefix === '.' ? file : `${prefix}/${file}`;
}

function inOrder(a: FoundLine, b: FoundLine): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line;
}

function unsearched(pattern: string, result: ExecResult): ForgeError {
  return new QuotingError('tool_failed', {
    said: `The search for ${JSON.stringify(pattern.slice(0, 200))} failed.`,
    quote: saidOf(result),
  });
}
