/** What the load generator is told to do, over the channel between the processes. */
export type LoadOrder =
  | {
      readonly type: 'open';
      readonly port: number;
      readonly workload: string;
      readonly connections: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Go on for so many milliseconds, or so many requests. */
  | { readonly type: 'run'; readonly milliseconds: number; readonly requests: number }
  | { readonly type: 'close' };

export type LoadAnswer =
  | { readonly type: 'opened' }
  | { readonly type: 'ran'; readonly result: LoadResult }
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly fault: string };

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds to the end of a reply. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds to the first byte of a reply's body. */
  readonly firstByte: number;
}
