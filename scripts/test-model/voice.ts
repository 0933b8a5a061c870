import type { ModelClient, Settings } from '@forge/models';

export interface Voice {
  readonly client: ModelClient;
  close(): Promise<void>;
}

/** Opens the test model in some engine. A string says why that engine cannot be had here. */
export type OpenVoice = (options: {
  readonly cache: string;
  /** The GGUF file. */
  readonly weights: string;
  readonly settings: Settings;
  readonly threads: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}) => Promise<Voice | string>;
