/** Lines of a file that are looked at, and characters of each. */
const mostLines = 50_000;
const mostChars = 300;
const around = 2;
const shownLines = 30;
const previewChars = 500;

/** What is near, as the parts of a `QuotingError`. */
export interface Nearest {
  readonly why: string;
  /** Lines of the file. */
  readonly quote: string;
  readonly advice?: string;
}

/**
 * What a model needs to see when the text it wanted to replace is not there: the lines that come
 * nearest, with their numbers, and in what they differ if that can be said in a word. Linear in the
 * file.
 */
export function nearestLines(content: Uint8Array, wanted: string): Nearest {
  const text = new TextDecoder().decode(content);
  if (text.trim() === '') return { why: 'The file is empty.', quote: '' };
  const lines = text.split(/\r?\n/).slice(0, mostLines);
  const target = wanted.replace(/^\n+|\s+$/g, '').split(/\r?\n/);
  if (target.every((line) => /^\s*\d+[\t:]/.test(line))) {
    const why =
      'It begins its lines with line numbers, which are not part of the file. Leave them out.';
    return { why, quote: '' };
  }
  const start = votedStart(lines, target) ?? mostSimilar(lines, target);
  if (start === undefined) {
    const why = 'Nothing like it is there. The file begins:';
    return { why, quote: text.slice(0, previewChars) };
  }
  const same = target.every((line, index) => bare(line) === bare(lines[start + index] ?? ''));
  const why = same ? 'Only spaces or tabs differ from these lines:' : 'The nearest lines are:';
  const from = Math.max(0, start - around);
  const to = Math.min(lines.length, start + Math.min(target.length, shownLines) + around);
  const shown = lines
    .slice(from, to)
    .map((line, index) => `${from + index + 1}\t${line.slice(0, mostChars)}`);
  const advice = 'Copy the text exactly, without the line numbers.';
  return { why, quote: shown.join('\n'), advice };
}

function bare(line: string): string {
  return line.replace(/\s+/g, '');
}

/** The line where most of the wanted lines would fall on their like. */
function votedStart(lines: readonly string[], target: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const [index, line] of target.entries()) {
    const key = bare(line);
    if (key.length < 3) continue;
    const list = places.get(key) ?? [];
    if (list.length < 8) list.push(index);
    places.set(key, list);
  }
  const votes = new Map<number, number>();
  for (const [index, line] of lines.entries()) {
    for (const place of places.get(bare(line)) ?? []) {
      const start = Math.max(0, index - place);
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  }
  let best: number | undefined;
  for (const [start, count] of votes) {
    if (best === undefined || count > (votes.get(best) ?? 0)) best = start;
  }
  return best;
}

/** The line most like the longest one that is wanted, if it is like it at all. */
function mostSimilar(lines: readonly string[], target: readonly string[]): number | undefined {
  let longest = 0;
  for (const [index, line] of target.entries()) {
    if (bare(line).length > bare(target[longest] ?? '').length) longest = index;
  }
  const wanted = pairsOf(target[longest] ?? '');
  if (wanted.size === 0) return undefined;
  let best = { line: 0, score: 0 };
  for (const [line, content] of lines.entries()) {
    const pairs = pairsOf(content);
    let common = 0;
    for (const pair of pairs) if (wanted.has(pair)) common++;
    const score = (2 * common) / (wanted.size + pairs.size);
    if (score > best.score) best = { line, score };
  }
  return best.score >= 0.4 ? Math.max(0, best.line - longest) : undefined;
}

function pairsOf(line: string): Set<string> {
  const text = bare(line).slice(0, mostChars).toLowerCase();
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < text.length; index++) pairs.add(text.slice(index, index + 2));
  return pairs;
}
