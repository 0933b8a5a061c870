import { type FilePatch, patchProblem } from './file-patch.ts';
import { parseMarkedPatch } from './parse-marked-patch.ts';
import { parseUnifiedPatch } from './parse-unified-patch.ts';

/** A patch in either form: a unified diff, or one between `*** Begin Patch` and `*** End Patch`. */
export function parsePatch(text: string): readonly FilePatch[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const marked = lines.some((line) => line.trim() === '*** Begin Patch');
  const files = marked ? parseMarkedPatch(lines) : parseUnifiedPatch(lines);
  if (files.length === 0) {
    throw patchProblem(
      'it names no file. Give a unified diff ("--- a/file", "+++ b/file", "@@ … @@"), or "*** Begin Patch", "*** Update File: file", lines that begin with " ", "-" or "+", and "*** End Patch".',
    );
  }
  return files;
}
