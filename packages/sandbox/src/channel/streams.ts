import type { Readable, Writable } from 'node:stream';

/** The three streams of a process inside a sandbox, and the way to let go of them. */
export interface ChannelStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Destroys the streams at once, whatever is in them. The process sees its input end. */
  close(): void;
}

/**
 * Starts a process inside the sandbox, as the user that commands run as, in the namespaces they run
 * in, with the sandbox's environment. Its end is seen as the end of its streams.
 */
export type OpenStreams = (process: {
  readonly argv: readonly string[];
  readonly signal: AbortSignal;
}) => Promise<ChannelStreams>;
