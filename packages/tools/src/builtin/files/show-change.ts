import { structuredPatch } from 'diff';

/** Differences that cost more than this to find are not shown. */
const maxEditLength = 2_000;
const largestFile = 1024 * 1024;
const context = 2;

/** What a change did to a file, as a unified diff, or nothing where that would take too long. */
export function showChange(path: string, before: Uint8Array, after: Uint8Array): string {
  if (before.length > largestFile || after.length > largestFile) return '';
  const decoder = new TextDecoder();
  const patch = structuredPatch(path, path, decoder.decode(before), decoder.decode(after), '', '', {
    context,
    maxEditLength,
  });
  if (patch === undefined) return '';
  const hunks = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) =>
    [`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`, ...lines].join('\n'),
  );
  return hunks.join('\n');
}
