interface CallName {
  readonly node: string;
  /** Of an item. */
  readonly key?: string;
  readonly round: number;
  readonly attempt: number;
}

/** `review#2.1`: the first attempt of the second round; `code[api]#1.1`: that of an item. */
export function callId({ node, key, round, attempt }: CallName): string {
  return `${node}${key === undefined ? '' : `[${key}]`}#${round}.${attempt}`;
}
