import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../target.ts';

/** How a version of the test service behaves. */
export type Behaviour = 'healthy' | 'sick' | 'flaps' | 'dies';

/**
 * A service that says which version it is. `/health` is as it behaves, `/echo` answers with its
 * version and what it was sent once that is complete, `/environment` shows its variables, `/crash`
 * ends it.
 */
const program = `
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
const [version, behaviour] = readFileSync(new URL('version', import.meta.url), 'utf8').split(' ');
console.log('version ' + version + ' begins');
if (behaviour === 'dies') {
  console.error('version ' + version + ' cannot go on');
  process.exit(7);
}
let asked = 0;
const server = createServer((request, response) => {
  if (request.url === '/crash') process.exit(9);
  if (request.url === '/environment') return response.end(JSON.stringify(process.env));
  if (request.url === '/pid') return response.end(String(process.pid));
  if (request.url === '/health') {
    asked += 1;
    const isWrong = behaviour === 'sick' || (behaviour === 'flaps' && asked % 2 === 0);
    response.statusCode = isWrong ? 500 : 200;
    return response.end();
  }
  let body = '';
  request.on('data', (chunk) => { body += chunk; });
  request.on('end', () => response.end(request.url === '/echo' ? version + ':' + body : version));
});
server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => server.close(() => process.exit(0)));
`;

/** Writes a tree of that version. */
export function writeService(
  folder: string,
  version: string,
  {
    behaviour = 'healthy',
    files = {},
  }: {
    readonly behaviour?: Behaviour;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Source {
  const path = join(folder, `source-${version}`);
  mkdirSync(path, { recursive: true });
  const all = { 'server.mjs': program, version: `${version} ${behaviour}`, ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(path, name), text);
  return { path, commit: version.padEnd(40, '0') };
}
