/**
 * A short text that a regular expression matches, for the plain kind people write in schemas:
 * literals, classes, groups, choices, counts and anchors. Undefined for anything else, and the
 * caller must still match the result: this reads patterns, it does not promise.
 */
export function exampleFromPattern(source: string): string | undefined {
  const reader = new PatternReader(source);
  const text = reader.choice();
  return text === undefined || !reader.isAtEnd ? undefined : text;
}

const MAX_REPEAT = 100;

class PatternReader {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#source.length;
  }

  /** `a|b|c`: the first one that can be written. */
  choice(): string | undefined {
    let chosen = this.#sequence();
    while (this.#takes('|')) {
      const next = this.#sequence();
      chosen ??= next;
    }
    return chosen;
  }

  #sequence(): string | undefined {
    let text: string | undefined = '';
    while (!this.isAtEnd && !this.#sees('|') && !this.#sees(')')) {
      const atom = this.#atom();
      if (atom === undefined) return undefined;
      const times = this.#count();
      if (times > MAX_REPEAT) return undefined;
      text += atom.repeat(times);
    }
    return text;
  }

  #atom(): string | undefined {
    const character = this.#take();
    switch (character) {
      case '^':
      case '$':
        return '';
      case '.':
        return 'a';
      case '[':
        return this.#class();
      case '(':
        return this.#group();
      case '\\':
        return this.#escape(this.#take());
      case '*':
      case '+':
      case '?':
        return undefined;
      default:
        return character;
    }
  }

  #group(): string | undefined {
    this.#depth += 1;
    if (this.#depth > 50) return undefined;
    if (this.#takes('?') && !this.#takes(':')) return undefined;
    const text = this.choice();
    this.#depth -= 1;
    return this.#takes(')') ? text : undefined;
  }

  /** A member of `[…]`: its first one, or for `[^…]` the first ordinary character left. */
  #class(): string | undefined {
    const start = this.#at - 1;
    const isNegated = this.#takes('^');
    let first: string | undefined;
    while (!this.isAtEnd && !this.#sees(']')) {
      const character = this.#take();
      first ??= character === '\\' ? this.#escape(this.#take()) : character;
      if (character === '\\' && first === undefined) this.#take();
    }
    if (!this.#takes(']')) return undefined;
    if (!isNegated) return first;
    const whole = this.#source.slice(start, this.#at);
    try {
      const expression = new RegExp(whole, 'u');
      return ['a', '0', 'A', '-', '_', ' '].find((each) => expression.test(each));
    } catch {
      return undefined;
    }
  }

  #escape(letter: string | undefined): string | undefined {
    switch (letter) {
      case 'd':
        return '1';
      case 'w':
      case 'D':
      case 'S':
        return 'a';
      case 's':
      case 'W':
        return ' ';
      case 'n':
        return '\n';
      case 't':
        return '\t';
      default:
        return letter !== undefined && /[^A-Za-z0-9]/.test(letter) ? letter : undefined;
    }
  }

  /** How often the atom before stands: as seldom as its quantifier allows, but `*` once. */
  #count(): number {
    let times = 1;
    if (this.#takes('?')) times = 0;
    else if (!this.#takes('+') && !this.#takes('*')) {
      const braces = /^\{(\d+)(?:,\d*)?\}/.exec(this.#source.slice(this.#at, this.#at + 20));
      if (braces === null) return 1;
      this.#at += braces[0].length;
      times = Number(braces[1]);
    }
    this.#takes('?');
    return times;
  }

  #sees(character: string): boolean {
    return this.#source[this.#at] === character;
  }

  #takes(character: string): boolean {
    if (!this.#sees(character)) return false;
    this.#at += 1;
    return true;
  }

  #take(): string | undefined {
    const character = this.#source[this.#at];
    this.#at += 1;
    return character;
  }
}
