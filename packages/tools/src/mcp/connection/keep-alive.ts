import { type Client, ProtocolError } from '@modelcontextprotocol/client';

export interface KeepAliveOptions {
  readonly client: Client;
  readonly every: number;
  readonly signal: AbortSignal;
  readonly onSilence: (error: unknown) => void;
}

const longestAnswer = 30_000;

/** Asks the server for a sign of life now and then, until the signal aborts or there is none. */
export function keepAlive({ client, every, signal, onSilence }: KeepAliveOptions): void {
  const options = { signal, timeout: Math.min(every, longestAnswer) };
  const ask = async () => {
    try {
      // The newest revision has no ping: asking what the server is does as well.
      if (client.getProtocolEra() === 'modern') await client.discover(options);
      else await client.ping(options);
    } catch (error) {
      if (signal.aborted) return;
      // A no is an answer too.
      if (!ProtocolError.isInstance(error)) return onSilence(error);
    }
    plan();
  };
  let timer: NodeJS.Timeout | undefined;
  const plan = () => {
    if (signal.aborted) return;
    timer = setTimeout(ask, every);
    timer.unref();
  };
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  plan();
}
