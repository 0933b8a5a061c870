/** How much a file changes. */
export interface FileChange {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/** What a diff changes, file by file, as `git diff` prints it. Linear; a cut diff gives what is in it. */
export function diffStat(text: string): readonly FileChange[] {
  const files: { path: string; added: number; removed: number }[] = [];
  let inHunk = false;
  for (const line of text.split('\n')) {
    const file = files.at(-1);
    if (line.startsWith('diff --git ')) {
      files.push({ path: / "?b\/(.*?)"?$/.exec(line)?.[1] ?? line, added: 0, removed: 0 });
      inHunk = false;
    } else if (line.startsWith('@@')) inHunk = true;
    else if (inHunk && file !== undefined && line.startsWith('+')) file.added += 1;
    else if (inHunk && file !== undefined && line.startsWith('-')) file.removed += 1;
  }
  return files;
}
