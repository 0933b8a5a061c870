/** Longer ones are cut: nobody searches by so many letters. */
const longestWord = 60;

/** Scripts that put no space between words: each character counts, and each pair. */
const unspaced =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]';
const runs = new RegExp(`(?<unspaced>${unspaced}+)|[[\\p{L}\\p{N}\\p{M}]--${unspaced}]+`, 'gv');

/**
 * The words of a text, each once, without case and accents: what a fact is found by and what a query
 * looks for. `favoriteColor` and `favorite_color` have the words favorite and color. A word is made of
 * letters, marks and digits only, so that no database takes it for anything else. Linear.
 */
export function wordsOf(text: string): readonly string[] {
  const words = new Set<string>();
  const plain = text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  for (const { 0: found, groups } of plain.matchAll(runs)) {
    if (groups?.unspaced !== undefined) {
      for (const piece of piecesOf(found)) words.add(piece);
      continue;
    }
    words.add(asWord(found));
    const parts = found.split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
    if (parts.length > 1) for (const part of parts) words.add(asWord(part));
  }
  return [...words];
}

function asWord(found: string): string {
  const letters = found.toLowerCase();
  return letters.length <= longestWord ? letters : letters.slice(0, longestWord).toWellFormed();
}

function* piecesOf(run: string): Generator<string> {
  let before = '';
  for (const character of run) {
    yield character;
    if (before !== '') yield before + character;
    before = character;
  }
}

/** Whether longer words that begin with it are found too. */
export function findsLonger(word: string): boolean {
  return word.length >= 4;
}
