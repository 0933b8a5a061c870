/** A line of the printed story: what happened, and the rest of it. */
export interface Told {
  readonly label: string;
  readonly text: string;
}

const labelWidth = 16;

/** The lines of the story, those that were broken in one piece again. */
export function readStory(printed: string): readonly Told[] {
  const told: Told[] = [];
  for (const line of printed.split('\n')) {
    if (line.trim() === '') continue;
    const label = line.slice(0, labelWidth).trim();
    const text = line.slice(labelWidth);
    const last = told.at(-1);
    if (label === '' && last !== undefined) {
      told[told.length - 1] = { ...last, text: `${last.text} ${text}` };
    } else {
      told.push({ label, text });
    }
  }
  return told;
}

/** The sections of what is printed at the end, by their first line. */
export function readSections(printed: string): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, readonly string[]>();
  for (const block of printed.split('\n\n')) {
    const [head = '', ...lines] = block.split('\n').filter((line) => line !== '');
    if (head !== '')
      sections.set(
        head,
        lines.map((line) => line.trim()),
      );
  }
  return sections;
}
