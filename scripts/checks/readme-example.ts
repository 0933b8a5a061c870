export interface ReadmeExample {
  readonly code: string;
  /** What the example prints, where a ```text block stands right after it. */
  readonly output: string | undefined;
  /** The line of its opening fence, from 1. */
  readonly line: number;
}

interface Block {
  readonly language: string;
  readonly body: string;
  readonly line: number;
  /** The first line after it, from 1. */
  readonly next: number;
}

/** The ```ts blocks of a Markdown text. */
export function readExamples(markdown: string): ReadmeExample[] {
  const lines = markdown.split('\n');
  const blocks = readBlocks(lines);
  return blocks.flatMap((block, index) => {
    if (block.language !== 'ts') return [];
    const after = blocks[index + 1];
    const between = lines.slice(block.next - 1, after === undefined ? 0 : after.line - 1);
    const follows = after?.language === 'text' && between.every((line) => line.trim() === '');
    return [{ code: block.body, output: follows ? after.body : undefined, line: block.line }];
  });
}

/** Lines that are neither empty nor in a fenced block. */
export function proseLines(markdown: string): number {
  const lines = markdown.split('\n');
  const fenced = new Set<number>();
  for (const { line, next } of readBlocks(lines)) {
    for (let at = line; at < next; at++) fenced.add(at);
  }
  return lines.filter((line, index) => line.trim() !== '' && !fenced.has(index + 1)).length;
}

function readBlocks(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; line: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const fence = /^```(\S*)/.exec(line);
    if (fence === null) continue;
    if (open === undefined) {
      open = { language: fence[1] ?? '', line: index + 1 };
    } else {
      const body = lines.slice(open.line, index).join('\n');
      blocks.push({ ...open, body, next: index + 2 });
      open = undefined;
    }
  }
  return blocks;
}
