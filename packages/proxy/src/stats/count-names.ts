/** What is counted by a name that came from outside has at most so many names, and `other`. */
const mostNames = 64;
const longestName = 64;

export function countName(counts: Map<string, number>, name: string): void {
  const short = name.length > longestName ? name.slice(0, longestName) : name;
  const before = counts.get(short);
  if (before !== undefined || counts.size < mostNames) counts.set(short, (before ?? 0) + 1);
  else counts.set('other', (counts.get('other') ?? 0) + 1);
}
