import { type FoundLine, shorten } from './rg-match.ts';

/** A line of `grep -rn`. */
export function readGrepLine(bytes: Uint8Array): FoundLine | undefined {
  const line = new TextDecoder().decode(bytes);
  const [, file, number, content = ''] = /^(.*?):(\d+):(.*)$/s.exec(line) ?? [];
  if (file === undefined || file === '') return undefined;
  return {
    type: 'match',
    file: file.replace(/^\.\//, ''),
    line: Number(number),
    content: shorten(content.replace(/\r$/, ''), 0),
  };
}
