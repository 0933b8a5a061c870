/** The tool name in a piece of text: all of it, its last line, or its first. */
export function nameIn(words: string, resolve: (name: string) => unknown): string | undefined {
  const plain = words.length > 200 ? words : withoutLabels(words);
  const lines = plain.split('\n', 8);
  for (const candidate of [plain, lines.at(-1) ?? '', lines[0] ?? '']) {
    const name = candidate.trim().replace(/:$/, '');
    if (name !== '' && resolve(name) !== undefined) return name;
  }
  return undefined;
}

/** `call:f`, `name: f, arguments:`, and a line break that was escaped. */
function withoutLabels(words: string): string {
  return words
    .replace(/^(?:call:|name ?: ?)/, '')
    .replace(/,? ?(?:arguments|parameters) ?:?$/, '')
    .replace(/\\n$/, '');
}

/** Whether words have the form of a tool's name. */
export function isName(words: string): boolean {
  return words.length < 80 && /^[\w.:/-]+$/.test(words) && /[a-zA-Z]/.test(words);
}
