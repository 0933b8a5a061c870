import { type FilePatch, type Hunk, type HunkLine, hunkLine, patchProblem } from './file-patch.ts';

const header = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const move = /^\*\*\* Move to: (.+)$/;

/** The form between `*** Begin Patch` and `*** End Patch`: places are found by what stands there. */
export function parseMarkedPatch(lines: readonly string[]): FilePatch[] {
  const begin = lines.findIndex((line) => line.trim() === '*** Begin Patch');
  const end = lines.findIndex((line, index) => index > begin && line.trim() === '*** End Patch');
  if (end === -1) throw patchProblem('it has no "*** End Patch", so it may be cut off.');
  const files: FilePatch[] = [];
  for (let at = begin + 1; at < end; ) {
    const line = lines[at] ?? '';
    const [, kind, path = ''] = header.exec(line) ?? [];
    if (kind === undefined) {
      if (line.trim() !== '')
        throw unexpected(line, '"*** Update File: …", "*** Add File: …" or "*** Delete File: …"');
      at++;
      continue;
    }
    const next = nextHeader(lines, at + 1, end);
    files.push(readFile({ kind, path: path.trim(), body: lines.slice(at + 1, next) }));
    at = next;
  }
  return files;
}

function nextHeader(lines: readonly string[], from: number, end: number): number {
  for (let at = from; at < end; at++) if (header.test(lines[at] ?? '')) return at;
  return end;
}

function readFile({
  kind,
  path,
  body,
}: {
  readonly kind: string;
  readonly path: string;
  readonly body: readonly string[];
}): FilePatch {
  if (kind === 'Delete') return { type: 'delete', path };
  if (kind === 'Add') {
    const lines = body.map((line) => {
      if (!line.startsWith('+')) throw unexpected(line, 'a line that begins with "+"');
      return line.slice(1);
    });
    return { type: 'add', path, lines, newline: true };
  }
  const [, moveTo] = move.exec(body[0] ?? '') ?? [];
  const hunks = readHunks(moveTo === undefined ? body : body.slice(1));
  if (hunks.length === 0 && moveTo === undefined) {
    throw patchProblem(`the update of ${JSON.stringify(path)} changes nothing.`);
  }
  return { type: 'update', path, hunks, ...(moveTo !== undefined && { moveTo: moveTo.trim() }) };
}

function readHunks(body: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let anchors: string[] = [];
  let lines: HunkLine[] = [];
  const close = (atEnd: boolean) => {
    if (lines.length > 0) {
      hunks.push({ anchors, lines, atEnd, bareEnd: { old: false, new: false } });
      anchors = [];
      lines = [];
    }
  };
  for (const line of body) {
    if (line.startsWith('@@')) {
      close(false);
      const anchor = line
        .slice(2)
        .replace(/@@\s*$/, '')
        .trim();
      if (anchor !== '') anchors.push(anchor);
    } else if (line.trim() === '*** End of File') {
      close(true);
    } else {
      const read = hunkLine(line);
      if (read === undefined) throw unexpected(line, 'a line that begins with " ", "-" or "+"');
      lines.push(read);
    }
  }
  close(false);
  return hunks;
}

function unexpected(line: string, wanted: string) {
  return patchProblem(`it has ${JSON.stringify(line.slice(0, 80))} where ${wanted} is due.`);
}
