import { gpuMemoryBytes, type Hardware } from './hardware.ts';

const gibibyte = 1024 ** 3;

/**
 * The context Ollama gives by the memory of the GPUs, largest first.
 * Source: https://docs.ollama.com/context-length
 */
export const contextTiers: readonly { readonly fromBytes: number; readonly tokens: number }[] = [
  { fromBytes: 48 * gibibyte, tokens: 262_144 },
  { fromBytes: 24 * gibibyte, tokens: 32_768 },
  { fromBytes: 0, tokens: 4_096 },
];

/**
 * Cards sold as 24 or 48 GB report a little less (an RTX 4090 has 23.99 GiB): they belong to the
 * tier they are sold for.
 */
const tolerance = 0.96;

/** Tokens of context to plan with where the backend does not say. Memory of the processor counts for the least. */
export function suggestContext({ hardware }: { readonly hardware: Hardware }): number {
  const bytes = gpuMemoryBytes(hardware);
  const tier = contextTiers.find(({ fromBytes }) => bytes >= fromBytes * tolerance);
  return tier?.tokens ?? 4_096;
}
