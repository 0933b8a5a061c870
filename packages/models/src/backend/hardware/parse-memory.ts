/** The memory of the machine in /proc/meminfo, in bytes. */
export function parseMeminfo(text: string): number | undefined {
  const kibibytes = /^MemTotal:\s+(\d+) kB$/m.exec(text)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
}

/** Version 1 of cgroups says "no limit" with a number larger than any memory. */
const noLimit = 2 ** 60;

/** The limit of a container (`memory.max`, or `memory.limit_in_bytes`), in bytes. */
export function parseCgroupLimit(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (!/^\d+$/.test(trimmed)) return undefined;
  const limit = Number(trimmed);
  return limit > 0 && limit < noLimit ? limit : undefined;
}

/** The smallest of those that are known. */
export function leastOf(...sizes: readonly (number | undefined)[]): number | undefined {
  const known = sizes.filter((size) => size !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
