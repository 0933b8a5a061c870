/**
 * Whether a word is one of these options. Long ones may be written short of their end, as `--upload-p`
 * or `--comp`.
 */
export function isOption(word: string, options: RegExp | undefined): boolean {
  if (options === undefined) return false;
  if (options.test(word)) return true;
  const [, name] = /^--([^=]+)/.exec(word) ?? [];
  if (name === undefined) return false;
  return [...options.source.matchAll(/--([a-z-]+)/g)].some(([, long = '']) =>
    long.startsWith(name),
  );
}
