/** A result that is a table of its own, of a bench that measures by itself. */
export interface TableResult {
  readonly kind: 'table';
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
  /** The figures behind the cells, for whoever reads the results file. */
  readonly data?: unknown;
}

/** A bench over processes and sockets, which has to wait for what it measures. */
export interface LiveBench {
  readonly name: string;
  run(options: { readonly quick: boolean }): AsyncIterable<TableResult>;
}
