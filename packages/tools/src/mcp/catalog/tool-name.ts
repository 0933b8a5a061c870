import { createHash } from 'node:crypto';

const longest = 64;
const hashLength = 8;

/**
 * The name a model calls a server's tool by: `<server>__<tool>`, in characters every model server
 * takes. Depends on these two names alone, never on what other tools there are. A name too long
 * ends in a hash of the original.
 */
export function toolName(server: string, tool: string): string {
  const name = `${server}__${tool.replace(/[^A-Za-z0-9_-]/gu, '_')}`;
  if (name.length <= longest) return name;
  const hash = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, hashLength);
  return `${name.slice(0, longest - hashLength - 1)}_${hash}`;
}
