/**
 * Breaks text at spaces into lines of at most that many characters. Line breaks of the text
 * stay; a word that is too long for a line gets cut.
 */
export function wrapText(text: string, width: number): string[] {
  const room = Math.max(1, width);
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let current = '';
    for (const word of line.split(' ')) {
      let rest = word;
      if (current !== '' && current.length + 1 + rest.length > room) {
        lines.push(current);
        current = '';
      }
      while (rest.length > room) {
        lines.push(rest.slice(0, room));
        rest = rest.slice(room);
      }
      current = current === '' ? rest : `${current} ${rest}`;
    }
    return [...lines, current];
  });
}
