const looks = ['green', 'quiet', 'paper', 'silver', 'round', 'warm', 'wooden', 'narrow'];
const things = ['door', 'river', 'moon', 'bell', 'table', 'stone', 'spoon', 'bridge'];

/** Every pair of the two once, neighbours alike in neither word. */
const phrases = Array.from({ length: looks.length * things.length }, (_, index) => {
  const look = index % looks.length;
  const thing = (look + Math.floor(index / looks.length)) % things.length;
  return `${looks[look]} ${things[thing]}`;
});

/** Of three digits, far apart, and none of them round. */
const numbers = Array.from({ length: 64 }, (_, index) => 100 + ((217 + index * 212) % 900));

/** Values for examples, each given once, and made of nothing that was said already. */
export class MadeUpValues {
  readonly #phrases: string[];
  readonly #numbers: number[];
  readonly #words = new Set<string>();

  /** `said` is everything a real value could come from. */
  constructor(said: string) {
    const heard = said.toLowerCase();
    const isNew = (word: string) => !heard.includes(word);
    this.#phrases = phrases.filter((phrase) => phrase.split(' ').every(isNew));
    this.#numbers = numbers.filter((number) => isNew(String(number)));
  }

  /** Takes the next phrase that `fits`. Undefined where there is none. */
  takePhrase(fits: (phrase: string) => boolean): string | undefined {
    return this.#take(this.#phrases, fits);
  }

  /** Takes the next number that `fits`. Undefined where there is none. */
  takeNumber(fits: (number: number) => boolean): number | undefined {
    return this.#take(this.#numbers, fits);
  }

  /** Whether a value is made of taken ones alone, whole or in part. */
  holds(value: unknown): boolean {
    if (typeof value !== 'string' && typeof value !== 'number') return false;
    const words = wordsOf(value);
    return words.length > 0 && words.every((word) => this.#words.has(word));
  }

  #take<T extends string | number>(from: T[], fits: (value: T) => boolean): T | undefined {
    const [next] = from;
    if (next === undefined || !fits(next)) return undefined;
    from.shift();
    for (const word of wordsOf(next)) this.#words.add(word);
    return next;
  }
}

function wordsOf(value: string | number): string[] {
  return String(value)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
