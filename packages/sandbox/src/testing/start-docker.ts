import { setTimeout as delay } from 'node:timers/promises';
import { ForgeError } from '@forge/core';
import type Docker from 'dockerode';
import { loadDocker } from '../images/load-docker.ts';
import { buildTestImage } from './build-test-image.ts';
import { dockerLog, dockerSocket, leaveDockerKeeper, useDockerKeeper } from './docker-keeper.ts';

/** A real daemon for tests. */
export interface TestDocker {
  readonly docker: Docker;
  readonly socketPath: string;
  /** An image with a shell and the usual tools, made of this machine's own programs in a second. */
  testImage(): Promise<string>;
  /** Lets go of it; it ends when nobody uses it any more. */
  stop(): void;
}

const usualSocket = '/var/run/docker.sock';
const startMs = 60_000;
const pollMs = 100;
/** One that found a keeper about to go may have to become the next. */
const keeperMs = 1000;

/**
 * The machine's own daemon if it answers, else a private one that all processes of a test run share.
 * Takes root and `dockerd`.
 */
export async function startDocker(): Promise<TestDocker> {
  const own = await loadDocker({ socketPath: usualSocket });
  if (await answers(own)) return handle(own, usualSocket, () => {});
  const shared = await loadDocker({ socketPath: dockerSocket });
  for (let wait = 0; wait < startMs; wait += pollMs) {
    if (wait % keeperMs === 0) useDockerKeeper();
    if (await answers(shared)) return handle(shared, dockerSocket, leaveDockerKeeper);
    await delay(pollMs);
  }
  leaveDockerKeeper();
  throw new ForgeError(
    'sandbox_failed',
    `No Docker daemon could be started. ${dockerLog} says why.`,
  );
}

function handle(docker: Docker, socketPath: string, stop: () => void): TestDocker {
  return { docker, socketPath, testImage: () => buildTestImage(docker), stop };
}

async function answers(docker: Docker): Promise<boolean> {
  try {
    await docker.ping();
    return true;
  } catch {
    return false;
  }
}
