import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '../config.ts';
import { deployFailed, explainDisk } from '../deploy-failed.ts';
import { cutLog } from '../files/cut-log.ts';
import { logTail } from '../files/log-tail.ts';
import { sleep } from '../sleep.ts';
import { keeperFiles, lockedCode } from './keeper-state.ts';

const pollEvery = 25;
/** It first takes up what an earlier one left, which may have to be ended. */
const startMs = 60_000;
const logBytes = 1024 * 1024;
const againEvery = 250;
const mostFailures = 3;

/**
 * Starts the process that keeps a folder's releases; it goes on when this one ends, and knows
 * nothing of its environment but the harmless part. Resolves once `connect` finds it.
 */
export async function startKeeper<Connection>(
  folder: string,
  connect: () => Promise<Connection | undefined>,
  signal: AbortSignal,
): Promise<Connection> {
  const { log } = keeperFiles(folder);
  let failures = 0;
  let isOut = true;
  for (let waited = 0; waited < startMs && failures < mostFailures; waited += pollEvery) {
    if (isOut) {
      isOut = false;
      spawnKeeper(folder, log, (code) => {
        isOut = true;
        // Another holds the lock: about to listen, or to end. Both are worth waiting for.
        if (code !== lockedCode) failures += 1;
      });
    }
    await sleep(pollEvery, signal);
    const connection = await connect();
    if (connection !== undefined) return connection;
    if (isOut) await sleep(againEvery, signal);
  }
  throw deployFailed(`The keeper of ${folder} did not start.`, { log: logTail(log, 20) });
}

function spawnKeeper(folder: string, log: string, exited: (code: number | null) => void): void {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = fileURLToPath(new URL(`./keeper-program.${ending}`, import.meta.url));
  let output: number;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    cutLog(log, logBytes);
    output = openSync(log, 'a', 0o600);
  } catch (error) {
    throw explainDisk(error, folder);
  }
  try {
    const child = spawn(process.execPath, [program, folder], {
      detached: true,
      stdio: ['ignore', output, output],
      cwd: folder,
      env: inheritedEnvironment(),
    });
    child.once('error', () => exited(null));
    child.once('exit', exited);
    child.unref();
  } finally {
    closeSync(output);
  }
}
