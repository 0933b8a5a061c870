/** What a server answered. `body` is undefined where it is not JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** More than any server has to say about itself. */
const mostBytes = 8 * 1024 * 1024;

/** Asks a server something. Undefined where nobody answers in time; never rejects, unless aborted. */
export async function askJson(
  url: string,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    /** Milliseconds. */
    readonly timeout: number;
    readonly signal: AbortSignal;
  },
): Promise<Answer | undefined> {
  const { headers, timeout, signal } = options;
  try {
    const response = await fetch(url, {
      headers: { ...headers, accept: 'application/json', connection: 'close' },
      // A key is for the server it was meant for.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    const text = await readText(response);
    return { status: response.status, body: parse(text) };
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > mostBytes) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
