import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Calls back with each line as it comes, the last one too. A longer one is cut into several. */
export function onLines(
  stream: Readable,
  { longest, line }: { readonly longest: number; readonly line: (text: string) => void },
): void {
  const decoder = new StringDecoder('utf8');
  let open = '';
  stream.on('data', (chunk: Buffer) => {
    open += decoder.write(chunk);
    const lines = open.split('\n');
    open = lines.pop() ?? '';
    for (const each of lines) line(each);
    while (open.length > longest) {
      line(open.slice(0, longest));
      open = open.slice(longest);
    }
  });
  stream.once('end', () => {
    if (open !== '') line(open);
  });
}
