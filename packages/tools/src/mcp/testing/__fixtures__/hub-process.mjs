/**
 * A hub in a process of its own, to be killed: says `ready` when its servers are connected. Ends at
 * once, without closing it, when the last argument is `exit`.
 */
import { createMcpHub } from '../../hub/create-mcp-hub.ts';
import { mcpFiles } from '../../mcp-files.ts';
import { odd } from '../open-hub.ts';

const [folder = '', ...habits] = process.argv.slice(2);
const hub = await createMcpHub({
  places: mcpFiles(folder),
  readVariable: () => undefined,
  servers: { odd: odd(...habits) },
});
await hub.ready(AbortSignal.timeout(60_000));
process.stdout.write('ready\n');
if (habits.at(-1) === 'exit') process.exit(0);
setInterval(() => {}, 60_000);
