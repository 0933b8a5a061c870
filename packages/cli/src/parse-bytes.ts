const units: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
};

/** Bytes from `1048576`, `64MiB`, `64 MB` or `64m`. Undefined for what is no size, and for 0. */
export function parseBytes(size: string): number | undefined {
  const found = /^(\d{1,15}(?:\.\d{1,6})?) ?([a-z]{0,3})$/i.exec(size.trim());
  const unit = units[found?.[2]?.toLowerCase() ?? ''];
  if (found === null || unit === undefined) return undefined;
  const bytes = Math.floor(Number(found[1]) * unit);
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : undefined;
}
