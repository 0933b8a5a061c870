/** One graphics processor, or the part of the memory that one may use. */
export interface Gpu {
  readonly vendor: 'nvidia' | 'amd' | 'apple';
  readonly name: string;
  readonly memoryBytes: number;
  /** It shares the memory of the processor. */
  readonly unified: boolean;
}

export interface Hardware {
  readonly gpus: readonly Gpu[];
  /** What this process may use: the machine's memory, or the limit of its container. */
  readonly ramBytes: number | undefined;
}

/** The memory of all GPUs together, across which a model can be spread. */
export function gpuMemoryBytes({ gpus }: Hardware): number {
  return gpus.reduce((total, { memoryBytes }) => total + memoryBytes, 0);
}
