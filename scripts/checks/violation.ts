/** A broken rule: where, what, and what to do about it. */
export interface Violation {
  /** Relative to the repository's root, with forward slashes. */
  readonly file: string;
  readonly line: number;
  readonly problem: string;
  readonly fix: string;
}

export function formatViolation({ file, line, problem, fix }: Violation): string {
  return `${file}:${line}  ${problem}\n    fix: ${fix}`;
}
