import { type FilePatch, type Hunk, type HunkLine, hunkLine, patchProblem } from './file-patch.ts';

const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Unified diffs, of git or not. The counts in `@@` lines are often wrong when a model wrote them:
 * they only help to tell a removed line `--- x` from the beginning of the next file.
 */
export function parseUnifiedPatch(lines: readonly string[]): FilePatch[] {
  const files: FilePatch[] = [];
  let renamed: string | undefined;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    if (line.startsWith('GIT binary patch')) throw patchProblem('it holds a binary file.');
    if (line.startsWith('rename from ')) renamed = line.slice('rename from '.length);
    if (line.startsWith('rename to ') && renamed !== undefined) {
      const moveTo = line.slice('rename to '.length);
      files.push({ type: 'update', path: renamed, moveTo, hunks: [] });
      renamed = undefined;
    }
    if (!isFileHeader(lines, at)) {
      at++;
      continue;
    }
    const { hunks, next } = readHunks(lines, at + 2);
    const paths = { old: pathOf(line, 'a/'), new: pathOf(lines[at + 1] ?? '', 'b/') };
    addFile(files, paths, hunks);
    at = next;
  }
  return files;
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  return (
    (lines[at] ?? '').startsWith('--- ') &&
    (lines[at + 1] ?? '').startsWith('+++ ') &&
    (lines[at + 2] === undefined || range.test(lines[at + 2] ?? ''))
  );
}

/** Without its prefix, and without the time that some programs put behind it. */
function pathOf(line: string, prefix: string): string | undefined {
  const path = line
    .slice(4)
    .replace(/\t.*$/, '')
    .trim()
    .replace(/^"(.*)"$/, '$1');
  if (path === '/dev/null') return undefined;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

function addFile(
  files: FilePatch[],
  paths: { readonly old: string | undefined; readonly new: string | undefined },
  hunks: readonly Hunk[],
): void {
  const path = paths.old ?? paths.new;
  if (path === undefined || hunks.length === 0) {
    throw patchProblem(`${JSON.stringify(path ?? '/dev/null')} has no "@@ … @@" part.`);
  }
  if (paths.old === undefined) {
    const lines = hunks.flatMap((hunk) => hunk.lines.map(({ text }) => text));
    files.push({ type: 'add', path, lines, newline: hunks.at(-1)?.bareEnd.new !== true });
  } else if (paths.new === undefined) {
    files.push({ type: 'delete', path });
  } else {
    const last = files.at(-1);
    const isRenamed = last?.type === 'update' && last.moveTo === paths.new && last.path === path;
    if (isRenamed) files.pop();
    const moved = paths.new !== path && { moveTo: paths.new };
    files.push({ type: 'update', path, hunks, ...moved });
  }
}

function readHunks(lines: readonly string[], from: number): { hunks: Hunk[]; next: number } {
  const hunks: Hunk[] = [];
  let at = from;
  for (let match = range.exec(lines[at] ?? ''); match; match = range.exec(lines[at] ?? '')) {
    const [, line = '1', oldCount = '1', , newCount = '1'] = match;
    const counts = { old: Number(oldCount), new: Number(newCount) };
    const { hunk, next } = readHunk(lines, at + 1, counts);
    // A hunk of no old lines names the line before it.
    hunks.push({ ...hunk, line: Number(line) + (hunk.lines.some(({ op }) => op !== '+') ? 0 : 1) });
    at = next;
  }
  return { hunks, next: at };
}

function readHunk(
  all: readonly string[],
  from: number,
  counts: { old: number; new: number },
): { hunk: Hunk; next: number } {
  const lines: HunkLine[] = [];
  const bareEnd = { old: false, new: false };
  const left = { ...counts };
  let at = from;
  for (; at < all.length; at++) {
    const line = all[at] ?? '';
    if (line.startsWith('\\')) {
      const op = lines.at(-1)?.op;
      if (op !== '+') bareEnd.old = true;
      if (op !== '-') bareEnd.new = true;
      continue;
    }
    const done = left.old <= 0 && left.new <= 0;
    const read = hunkLine(line);
    if (read === undefined || (done && line === '')) break;
    if (isFileHeader(all, at) && (done || read.op === '-')) break;
    if (read.op !== '+') left.old--;
    if (read.op !== '-') left.new--;
    lines.push(read);
  }
  return { hunk: { anchors: [], lines, atEnd: false, bareEnd }, next: at };
}
