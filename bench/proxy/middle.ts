import type { Usage } from './process-usage.ts';

/** What sits between the load and the backend, running. */
export interface Middle {
  readonly port: number;
  /** Sent with every request to it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined where there is nothing in the middle. */
  readonly usage: (() => Usage) | undefined;
  /** Lets it collect its garbage, and tells the bytes its heap still holds. Only where asked for. */
  readonly collect?: () => Promise<number>;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly backendPort: number;
  /** An empty folder that is removed afterwards. */
  readonly folder: string;
}

/** One contender. `start` rejects with what is missing where it cannot run here. */
export interface Contender {
  readonly name: string;
  start(options: StartOptions): Promise<Middle>;
}
