import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { OpenedClient } from './open-client.ts';

const goodbyeTime = 2_000;

/** Says goodbye where there is a session to end, and closes. Never rejects. */
export async function endClient({ client, transport }: OpenedClient): Promise<void> {
  if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, goodbyeTime);
    });
    await Promise.race([transport.terminateSession().catch(() => {}), late]);
    clearTimeout(timer);
  }
  await client.close().catch(() => {});
  // The client closes its transport only while it holds it, and a server that left took it away.
  await transport.close().catch(() => {});
}
