import type { Gpu } from './hardware.ts';

/** What `parseAppleSysctl` reads is the output of sysctl with these. */
export const sysctlArgs = ['-n', 'hw.memsize', 'machdep.cpu.brand_string'];

const gibibyte = 1024 ** 3;

/**
 * Apple silicon from the two lines of sysctl. Metal lets the GPU have two thirds of the memory,
 * three quarters on machines with more than 36 GB (its recommendedMaxWorkingSetSize). Macs with
 * Intel have no GPU worth planning with.
 */
export function parseAppleSysctl(output: string): { gpus: Gpu[]; ramBytes: number | undefined } {
  const [size = '', name = ''] = output.split('\n').map((line) => line.trim());
  const total = /^\d+$/.test(size) ? Number(size) : undefined;
  if (total === undefined) return { gpus: [], ramBytes: undefined };
  if (!name.startsWith('Apple')) return { gpus: [], ramBytes: total };
  const share = total > 36 * gibibyte ? 3 / 4 : 2 / 3;
  const memoryBytes = Math.floor(total * share);
  return { gpus: [{ vendor: 'apple', name, memoryBytes, unified: true }], ramBytes: total };
}
