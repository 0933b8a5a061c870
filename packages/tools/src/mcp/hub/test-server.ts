import type { McpTestReport } from './mcp-hub.ts';
import { type ServerEntry, statusOf } from './server-entry.ts';

/** Connects, lists, and lets go again. A server that does not work is a report, not an exception. */
export async function testServer(entry: ServerEntry, signal: AbortSignal): Promise<McpTestReport> {
  const { connection } = entry;
  try {
    const { tools } = await connection.ready(signal);
    return { ok: true, status: statusOf(entry, tools.length), tools, log: entry.log() };
  } catch {
    signal.throwIfAborted();
    return { ok: false, status: statusOf(entry, 0), tools: [], log: entry.log() };
  } finally {
    await connection.close();
  }
}
