import { join } from 'node:path';
import { sleep as realSleep, type Sleep } from '../retry/sleep.ts';
import { type BackendState, logFile, stateFile, writeJson } from './backend-state.ts';
import type { KeeperJob } from './keeper-job.ts';
import { logTail } from './log-tail.ts';
import { type Probe, probe } from './probe.ts';
import { endGroup } from './process-group.ts';
import { identifyProcess } from './process-identity.ts';
import { restartDelay } from './restart-delay.ts';
import { RotatingLog } from './rotating-log.ts';
import { type ServerProcess, spawnServer } from './spawn-server.ts';

const pollEvery = 200;
const shownLines = 15;

/** How one life of the server went. */
type Life =
  | { readonly end: 'stopped' }
  | { readonly end: 'died'; readonly how: string; readonly readyFor: number | undefined };

/**
 * Looks after a server until `signal` aborts: starts it, says in the state file how it is, starts
 * it again when it dies, and ends it with its children. A server that does not become ready the
 * first time is given up at once; one that was ready gets as many tries as the policy has.
 */
export async function keepBackend({
  job,
  signal,
  sleep = realSleep,
  clock = Date.now,
}: {
  readonly job: KeeperJob;
  readonly signal: AbortSignal;
  readonly sleep?: Sleep;
  readonly clock?: () => number;
}): Promise<void> {
  const log = new RotatingLog(join(job.folder, logFile), job.logBytes);
  let state = firstState(job, clock());
  const note = (change: Partial<BackendState>) => {
    state = { ...state, ...change };
    writeJson(job.folder, stateFile, state);
  };

  /** Resolves once it can be used; rejects when it dies, takes too long, or is to stop. */
  const becomesReady = async (stop: AbortSignal): Promise<Probe> => {
    const deadline = clock() + job.startTimeout;
    while (clock() < deadline) {
      const answer = await probe({ kind: job.kind, url: job.url, signal: stop });
      if (answer.ready) return answer;
      await sleep(pollEvery, stop);
    }
    throw new Error(`was not ready after ${job.startTimeout} ms`);
  };

  const live = async (): Promise<Life> => {
    let server: ServerProcess;
    try {
      server = await spawnServer(job, log);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { end: 'died', how: `could not be run: ${why}`, readyFor: undefined };
    }
    const { pid, ended } = server;
    const death = new AbortController();
    void ended.then((how) => death.abort(new Error(how)));
    const over = AbortSignal.any([signal, death.signal]);
    let readyAt: number | undefined;
    try {
      note({ server: identifyProcess(pid) });
      const { contextLength } = await becomesReady(over);
      readyAt = clock();
      note({ phase: 'ready', contextLength });
      await aborted(over);
    } catch (error) {
      if (signal.aborted) return { end: 'stopped' };
      const how = error instanceof Error ? error.message : String(error);
      const readyFor = readyAt === undefined ? undefined : clock() - readyAt;
      return { end: 'died', how, readyFor };
    } finally {
      // Also after it died: its children may be left, and they hold the port and the memory.
      await endGroup(pid, { grace: job.stopGrace, sleep });
    }
    return { end: 'stopped' };
  };

  try {
    note({});
    for (let inRow = 0; ; ) {
      const life = await live();
      if (life.end === 'stopped') break;
      log.write(`[forge] the server ${life.how}\n`);
      const neverReady = state.phase === 'starting';
      if ((life.readyFor ?? 0) >= job.restart.steadyAfter) inRow = 0;
      inRow += 1;
      if (neverReady || inRow > job.restart.attempts) {
        note({ phase: 'failed', failure: explain(job, life.how), server: undefined });
        return;
      }
      note({ phase: 'restarting', restarts: state.restarts + 1, server: undefined });
      const delay = restartDelay(job.restart, inRow);
      log.write(`[forge] starting it again in ${delay} ms (${inRow} of ${job.restart.attempts})\n`);
      await sleep(delay, signal).catch(() => {});
      if (signal.aborted) break;
    }
    note({ phase: 'stopped', server: undefined });
  } finally {
    log.close();
  }
}

function firstState(job: KeeperJob, startedAt: number): BackendState {
  const { id, kind, fingerprint, url, port, model, binary, args, stopGrace } = job;
  const keeper = identifyProcess(process.pid) ?? { pid: process.pid, began: '' };
  const command = [binary, ...args];
  const known = { v: 1 as const, id, kind, fingerprint, url, port, model, command, stopGrace };
  return { ...known, keeper, phase: 'starting', startedAt, restarts: 0 };
}

function explain(job: KeeperJob, how: string): string {
  const path = join(job.folder, logFile);
  const lines = logTail(path, shownLines).map((line) => `  ${line}`);
  return `${job.binary} ${how}. The end of its log (${path}):\n${lines.join('\n')}`;
}

/** Rejects with the reason once the signal aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
