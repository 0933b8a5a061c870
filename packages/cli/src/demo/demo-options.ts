/** What may be said of the demo on the command line. */
export interface DemoOptions {
  /** A real model instead of the scripted one. */
  readonly model?: string;
  /** Where the project is made. Default: a new folder for temporary files. */
  readonly folder?: string;
  /** What holds the sandbox. Default: the first that works and has node. */
  readonly backend?: string;
  /** The service goes on when the demo has ended. */
  readonly keep?: boolean;
  /** Whether to wait for a key before the service is stopped. Default: in a terminal. */
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
  /** Before each reply of the scripted model, in milliseconds. Default: a little, in a terminal. */
  readonly delay?: number;
}
