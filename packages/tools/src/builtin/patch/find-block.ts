/**
 * Where a block of lines stands in a file: every place, in order. Linear in both, however often the
 * lines repeat (Knuth, Morris, Pratt).
 */
export function findBlock(lines: readonly string[], block: readonly string[]): number[] {
  if (block.length === 0) return [];
  const fallback = fallbacks(block);
  const places: number[] = [];
  let matched = 0;
  for (const [index, line] of lines.entries()) {
    while (matched > 0 && line !== block[matched]) matched = fallback[matched - 1] ?? 0;
    if (line === block[matched]) matched++;
    if (matched === block.length) {
      places.push(index - matched + 1);
      matched = fallback[matched - 1] ?? 0;
    }
  }
  return places;
}

function fallbacks(block: readonly string[]): number[] {
  const fallback = [0];
  let matched = 0;
  for (let index = 1; index < block.length; index++) {
    while (matched > 0 && block[index] !== block[matched]) matched = fallback[matched - 1] ?? 0;
    if (block[index] === block[matched]) matched++;
    fallback.push(matched);
  }
  return fallback;
}
