import { UsageError } from '../usage-error.ts';

/** More is no request any more, and would fill a model's context by itself. */
const mostBytes = 100_000;

/** What somebody wants done: as they wrote it, or from the standard input for `-`. */
export async function readRequest(
  text: string,
  { stdin, what }: { readonly stdin: NodeJS.ReadableStream; readonly what: string },
): Promise<string> {
  const request = (text === '-' ? await readAll(stdin, what) : text).trim();
  if (request === '') {
    throw new UsageError(`The ${what} is empty. Say what is to be done, in quotes.`);
  }
  if (Buffer.byteLength(request) > mostBytes) throw tooLong(what);
  return request;
}

async function readAll(stdin: NodeJS.ReadableStream, what: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > mostBytes) throw tooLong(what);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLong(what: string): UsageError {
  return new UsageError(
    `The ${what} is longer than ${mostBytes / 1_000} KB. Put the long part into a file of the repository and name it.`,
  );
}
