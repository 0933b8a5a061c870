import type { FactHit } from './fact-index.ts';

/** A word in the key says more than one in the value. */
const keyWeight = 2;

/**
 * The best of what was found, best first. A word counts by how few of them have it, so that `the`
 * does not outweigh a name. Of equals the newest; then the one that was there first.
 */
export function rankFacts(
  hits: readonly FactHit[],
  { words, limit }: { readonly words: number; readonly limit: number },
): readonly number[] {
  const weights = Array.from({ length: words }, (_, word) => {
    const having = hits.filter(({ bits }) => place(bits, word) > 0).length;
    return Math.log(1 + (hits.length - having + 0.5) / (having + 0.5));
  });
  const scored = hits.map((hit) => ({
    hit,
    score: weights.reduce((sum, weight, word) => sum + weight * place(hit.bits, word), 0),
  }));
  scored.sort(
    (a, b) => b.score - a.score || b.hit.updatedAt - a.hit.updatedAt || a.hit.id - b.hit.id,
  );
  return scored.slice(0, limit).map(({ hit }) => hit.id);
}

/** What a fact has of a word: the key's weight, 1 for the value alone, or 0. */
function place(bits: number, word: number): number {
  const pair = Math.floor(bits / 4 ** word) % 4;
  return pair % 2 === 1 ? keyWeight : pair > 0 ? 1 : 0;
}
