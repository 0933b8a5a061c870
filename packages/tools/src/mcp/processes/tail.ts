/** The last lines of an output, within a number of characters, however much is written. */
export interface Tail {
  write(text: string): void;
  lines(): string[];
}

const longestLine = 2_000;

export function createTail(mostCharacters = 64_000): Tail {
  let kept: string[] = [];
  let size = 0;
  let open = '';
  const push = (line: string) => {
    const short = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
    kept.push(short);
    size += short.length + 1;
    if (size <= 2 * mostCharacters) return;
    // Dropped in bulk, so that a line costs the same however many there were.
    let from = 0;
    while (size > mostCharacters) size -= (kept[from++]?.length ?? 0) + 1;
    kept = kept.slice(from);
  };
  return {
    write(text) {
      const lines = (open + text).split('\n');
      open = (lines.pop() ?? '').slice(0, longestLine);
      for (const line of lines) push(line);
    },
    lines: () => (open === '' ? [...kept] : [...kept, open]),
  };
}
