import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BackendOptions, defaultRestart } from './backend-options.ts';
import { logFile, writeJson } from './backend-state.ts';
import { jobFile, type KeeperJob } from './keeper-job.ts';
import { kinds } from './kinds.ts';
import type { Launch } from './plan-launch.ts';
import { identifyProcess, type ProcessIdentity } from './process-identity.ts';

const keptLogBytes = 4 * 1024 * 1024;
const defaultStopGrace = 10_000;

/** What a keeper needs to know, with nothing left open. */
export function toJob({
  options,
  launch,
  folder,
  port,
}: {
  options: BackendOptions;
  launch: Launch;
  folder: string;
  port: number;
}): KeeperJob {
  const { startTimeout = kinds[launch.kind].startTimeout, stopGrace = defaultStopGrace } = options;
  const { id, kind, fingerprint, binary, model, host } = launch;
  return {
    v: 1,
    id,
    kind,
    fingerprint,
    folder,
    binary,
    args: launch.argsFor(port),
    variables: { ...launch.variablesFor(port) },
    url: `http://${reachable(host)}:${port}`,
    port,
    ...(model !== undefined && { model }),
    startTimeout,
    stopGrace,
    logBytes: options.logBytes ?? keptLogBytes,
    restart: { ...defaultRestart, ...options.restart },
  };
}

/** An address to call, for one to listen on. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Starts the process that looks after the server. It goes on when this one ends. */
export function startKeeper(job: KeeperJob): ProcessIdentity {
  writeJson(job.folder, jobFile, job);
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = fileURLToPath(new URL(`./keeper.${ending}`, import.meta.url));
  const log = openSync(join(job.folder, logFile), 'a', 0o600);
  try {
    const child = spawn(process.execPath, [program, join(job.folder, jobFile)], {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: job.folder,
    });
    child.on('error', () => {}); // Told by its not being there.
    child.unref();
    return identifyProcess(child.pid ?? 0) ?? { pid: child.pid ?? 0, began: '' };
  } finally {
    closeSync(log);
  }
}
