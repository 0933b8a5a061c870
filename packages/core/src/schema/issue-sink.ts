import { describeValue } from './describe-value.ts';

export interface SchemaIssue {
  /** Where in the value: property names and list indexes from the root. */
  readonly path: readonly (string | number)[];
  /** The keyword that failed; `limit` when the value was too deep or too costly to check. */
  readonly keyword: string;
  /** For a model: what is valid and what was received, in a line. */
  readonly message: string;
}

/** Collects issues while a value is walked; `path` is where the walk is now. */
export class IssueSink {
  readonly path: (string | number)[];
  readonly issues: SchemaIssue[] = [];
  /** What each issue expected, without what was received: for joining issues of a union. */
  readonly expected: string[] = [];
  readonly limit: number;

  constructor(limit: number, path: readonly (string | number)[] = []) {
    this.limit = limit;
    this.path = [...path];
  }

  get full(): boolean {
    return this.issues.length >= this.limit;
  }

  /** "must be a string", and the value that is not. */
  add(keyword: string, expected: string, received: unknown): void {
    this.#push(this.path, keyword, expected, `${expected}, received ${describeValue(received)}`);
  }

  /** About a property or item of the value at `path`, which may not be there. */
  addAt(key: string | number, keyword: string, message: string): void {
    this.#push([...this.path, key], keyword, message, message);
  }

  /** Takes over what another sink found. */
  take(other: IssueSink): void {
    for (const [index, issue] of other.issues.entries()) {
      if (this.full) return;
      this.issues.push(issue);
      this.expected.push(other.expected[index] ?? issue.message);
    }
  }

  /** A sink at the same place with issues of its own, to try a branch. */
  fork(): IssueSink {
    return new IssueSink(this.limit, this.path);
  }

  #push(path: readonly (string | number)[], keyword: string, expected: string, message: string) {
    if (this.full) return;
    this.issues.push({ path: [...path], keyword, message });
    this.expected.push(expected);
  }
}
