import type { Gpu } from './hardware.ts';

/** What `parseNvidiaSmi` reads is the output of nvidia-smi with these. */
export const nvidiaSmiArgs = ['--query-gpu=name,memory.total', '--format=csv,noheader,nounits'];

const mebibyte = 1024 ** 2;

/**
 * GPUs from lines like `NVIDIA GeForce RTX 4090, 24564`. Where the GPU has no memory of its own
 * (`[N/A]`: Grace, Thor, Spark), it has that of the machine.
 */
export function parseNvidiaSmi(output: string, ramBytes: number | undefined): Gpu[] {
  return output.split('\n').flatMap((line): Gpu[] => {
    const comma = line.lastIndexOf(',');
    if (comma === -1) return [];
    const name = line.slice(0, comma).trim();
    const size = line.slice(comma + 1).trim();
    if (/^\d+$/.test(size)) {
      return [{ vendor: 'nvidia', name, memoryBytes: Number(size) * mebibyte, unified: false }];
    }
    const shared = /^\[.*\]$/.test(size) ? ramBytes : undefined;
    return shared === undefined
      ? []
      : [{ vendor: 'nvidia', name, memoryBytes: shared, unified: true }];
  });
}
