import type { ForgeError } from '../errors.ts';
import { isJsonObject } from '../json.ts';
import { describeValue } from './describe-value.ts';
import { invalidSchema } from './invalid-schema.ts';
import type { JsonSchema } from './json-schema.ts';

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isJsonObject(value);
}

/**
 * Typed access to the keywords of one schema object. A keyword that is null is taken as not
 * there (serialisers of other languages write every field); any other wrong shape is refused
 * with `invalid_schema`.
 */
export class KeywordReader {
  readonly #source: { readonly [keyword: string]: unknown };
  readonly #location: string;
  readonly #keywords: readonly string[];

  constructor(source: { readonly [keyword: string]: unknown }, location: string) {
    this.#source = source;
    this.#location = location;
    this.#keywords = Object.keys(source);
  }

  /** Undefined where the keyword is absent or null. */
  raw(keyword: string): unknown {
    if (!Object.hasOwn(this.#source, keyword)) return undefined;
    return this.#source[keyword] ?? undefined;
  }

  /** True where the keyword is written, even as null: for `const`. */
  has(keyword: string): boolean {
    return Object.hasOwn(this.#source, keyword) && this.#source[keyword] !== undefined;
  }

  /** The keyword's value as it is written, null included. */
  written(keyword: string): unknown {
    return this.#source[keyword];
  }

  hasAny(keywords: ReadonlySet<string>): boolean {
    return this.#keywords.some((keyword) => keywords.has(keyword));
  }

  text(keyword: string): string | undefined {
    const value = this.raw(keyword);
    if (value === undefined || typeof value === 'string') return value;
    throw this.wrong(keyword, 'must be a string');
  }

  flag(keyword: string): boolean {
    const value = this.raw(keyword);
    if (value === undefined || typeof value === 'boolean') return value === true;
    throw this.wrong(keyword, 'must be true or false');
  }

  number(keyword: string): number | undefined {
    const value = this.raw(keyword);
    if (value === undefined || (typeof value === 'number' && Number.isFinite(value))) return value;
    throw this.wrong(keyword, 'must be a number');
  }

  count(keyword: string, fallback: number): number {
    const value = this.raw(keyword);
    if (value === undefined) return fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw this.wrong(keyword, 'must be a whole number that is not negative');
  }

  list(keyword: string): readonly unknown[] | undefined {
    const value = this.raw(keyword);
    if (value === undefined || Array.isArray(value)) return value;
    throw this.wrong(keyword, 'must be an array');
  }

  names(keyword: string): readonly string[] {
    const value = this.list(keyword) ?? [];
    if (value.every((name) => typeof name === 'string')) return value;
    throw this.wrong(keyword, 'must be an array of property names');
  }

  entries(keyword: string): readonly (readonly [string, unknown])[] {
    const value = this.raw(keyword);
    if (value === undefined) return [];
    if (isJsonObject(value)) return Object.entries(value);
    throw this.wrong(keyword, 'must be an object');
  }

  /** For throwing: the keyword has the wrong shape. */
  wrong(keyword: string, expected: string): ForgeError {
    return this.invalid(keyword, `${expected}, but is ${describeValue(this.raw(keyword))}.`);
  }

  /** For throwing: the keyword has the right shape and makes no sense. */
  invalid(keyword: string, problem: string): ForgeError {
    return invalidSchema(`${this.#location}/${keyword}`, problem);
  }
}
