// The program of the process that keeps the releases of one folder, its argument.
import { appendFileSync, existsSync } from 'node:fs';
import { cutLog } from '../files/cut-log.ts';
import { tryLock } from '../files/file-lock.ts';
import { Keeper } from './keeper.ts';
import { keeperFiles, lockedCode } from './keeper-state.ts';
import { serveControl } from './serve-control.ts';

const [, , folder = ''] = process.argv;
// Started in the last moment of a folder: it must not make it again.
if (!existsSync(folder)) process.exit();
const release = tryLock(keeperFiles(folder).lock);
// Whoever started this one will find the other.
if (release === undefined) process.exit(lockedCode);

// It holds the traffic of a service: a fault in one request must not end all others.
process.on('uncaughtException', (error) => {
  const { log } = keeperFiles(folder);
  try {
    appendFileSync(log, `${new Date().toISOString()} ${error.stack ?? error.message}\n`);
    cutLog(log, 1024 * 1024);
  } catch {
    // No room for it.
  }
});
const stop = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort());
}
const keeper = new Keeper(folder);
try {
  await keeper.restore();
  await serveControl({ folder, keeper, signal: stop.signal });
} finally {
  await keeper.close();
}
// Pipes of processes that left their group on purpose must not keep it here.
process.exit();
