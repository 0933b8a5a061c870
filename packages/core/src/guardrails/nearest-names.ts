/**
 * The known names closest to a wrong one, best first: those within about a third of its
 * length in edits, containing it or contained in it, or sharing a word with it.
 */
export function nearestNames(wrong: string, known: readonly string[], most = 3): string[] {
  const asked = wrong.slice(0, 128);
  const reach = Math.max(2, Math.floor(simplify(asked).length / 3));
  return known
    .map((name) => ({ name, distance: nameDistance(asked, name) }))
    .filter(({ distance }) => distance <= reach)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name);
}

function simplify(name: string): string {
  return name.toLowerCase().replace(/[-_.\s/]/g, '');
}

function nameDistance(a: string, b: string): number {
  const [left, right] = [simplify(a), simplify(b)];
  if (left.length > 2 && right.length > 2 && (left.includes(right) || right.includes(left)))
    return 1;
  const edits = editDistance(left, right);
  const others = wordsOf(b);
  return wordsOf(a).some((word) => others.includes(word)) ? Math.min(edits, 2) : edits;
}

/** The telling words of a name: `get` and `set` say little. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[-_.\s/]+/)
    .filter((word) => word.length > 3);
}

/** Levenshtein distance with one row of memory. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1;
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + change,
        ),
      );
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
