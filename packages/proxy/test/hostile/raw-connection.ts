import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An HTTP response as it came over a bare socket. */
export interface RawResponse {
  readonly status: number;
  /** By name in lower case; the last one of a name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the body ended as it said it would. */
  readonly isWhole: boolean;
}

/**
 * A client that sends exactly the bytes it is given, which no HTTP library would. Responses are
 * read one after the other.
 */
export class RawConnection {
  readonly #socket: Socket;
  #heard: Buffer = Buffer.alloc(0);
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.#heard = this.#heard.length === 0 ? chunk : Buffer.concat([this.#heard, chunk]);
    });
    socket.on('close', () => {
      this.#isClosed = true;
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(bytes: string | Uint8Array): void {
    if (!this.#isClosed) this.#socket.write(bytes);
  }

  /** Stops reading, so that the other side's bytes pile up. */
  pause(): void {
    this.#socket.pause();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Resolves when the other side has closed, with what it said that was not read as a response. */
  async untilClosed(): Promise<Buffer> {
    this.#socket.resume();
    while (!this.#isClosed) await this.#hear();
    return this.#heard;
  }

  /** Resolves when the head of the next response is there; it is not taken. */
  async head(): Promise<void> {
    await this.#until((heard) => heard.indexOf('\r\n\r\n'), 'a head');
  }

  /** The next response. `isHead` if the request was a HEAD, whose answer has no body. */
  async response({ isHead = false } = {}): Promise<RawResponse> {
    const end = await this.#until((heard) => heard.indexOf('\r\n\r\n'), 'a head');
    const { status, headers } = readHead(this.#heard.toString('latin1', 0, end));
    this.#heard = this.#heard.subarray(end + 4);
    if (status < 200 || status === 204 || status === 304 || isHead) {
      return { status, headers, body: Buffer.alloc(0), isWhole: true };
    }
    if (headers['transfer-encoding'] === 'chunked') return this.#chunked({ status, headers });
    const length = Number(headers['content-length'] ?? Number.NaN);
    while (!this.#isClosed && !(this.#heard.length >= length)) await this.#hear();
    const isWhole = Number.isNaN(length) || this.#heard.length >= length;
    const body = this.#heard.subarray(0, Number.isNaN(length) ? undefined : length);
    this.#heard = this.#heard.subarray(body.length);
    return { status, headers, body, isWhole };
  }

  async #chunked(head: Pick<RawResponse, 'status' | 'headers'>): Promise<RawResponse> {
    const chunks: Buffer[] = [];
    try {
      while (true) {
        const line = await this.#until((heard) => heard.indexOf('\r\n'), 'a chunk');
        const size = Number.parseInt(this.#heard.toString('latin1', 0, line), 16);
        await this.#until((heard) => (heard.length >= line + 4 + size ? 0 : -1), 'its bytes');
        chunks.push(this.#heard.subarray(line + 2, line + 2 + size));
        this.#heard = this.#heard.subarray(line + 4 + size);
        if (size === 0) return { ...head, body: Buffer.concat(chunks), isWhole: true };
      }
    } catch {
      return { ...head, body: Buffer.concat(chunks), isWhole: false };
    }
  }

  async #until(find: (heard: Buffer) => number, what: string): Promise<number> {
    while (true) {
      const at = find(this.#heard);
      if (at !== -1) return at;
      if (this.#isClosed) {
        throw new Error(`The connection was closed before ${what} came: ${this.#heard}`);
      }
      await this.#hear();
    }
  }

  async #hear(): Promise<void> {
    const heard = new AbortController();
    const { signal } = heard;
    await Promise.race([
      once(this.#socket, 'data', { signal }),
      once(this.#socket, 'close', { signal }),
    ]).finally(() => heard.abort());
  }
}

function readHead(text: string): Pick<RawResponse, 'status' | 'headers'> {
  const [first = '', ...lines] = text.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers) };
}
