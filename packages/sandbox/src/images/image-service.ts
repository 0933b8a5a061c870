/** Builds and pushes images for callers who are not trusted. */
export interface ImageService {
  /** The id of an image this owner may run: theirs, or the operator's. `not_found` for all others. */
  find(image: string, owner: string): Promise<string>;
  build(request: BuildRequest): AsyncIterable<BuildEvent>;
  push(request: PushRequest): AsyncIterable<PushEvent>;
}

export interface BuildRequest {
  /** A plain tar. */
  readonly context: AsyncIterable<Uint8Array>;
  /** Its path in the context. */
  readonly dockerfile: string;
  readonly tag: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly network: boolean;
  /** Whose image it becomes. A tag that belongs to somebody else is not taken from them. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

export type BuildEvent =
  | { readonly line: string }
  | {
      readonly built: {
        readonly imageId: string;
        readonly tag: string;
        readonly sizeBytes: number;
      };
    };

export interface PushRequest {
  readonly tag: string;
  readonly owner: string;
  readonly auth?: { readonly username: string; readonly password: string };
  readonly signal: AbortSignal;
}

export type PushEvent =
  | { readonly line: string }
  | {
      readonly pushed: {
        readonly tag: string;
        readonly digest: string;
        readonly sizeBytes: number;
      };
    };
