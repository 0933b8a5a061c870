import { ForgeError, messageOf } from '@forge/core';
import type Docker from 'dockerode';
import * as z from 'zod';
import { deployFailed } from '../deploy-failed.ts';

export interface DockerAddress {
  /** Default: what `DOCKER_HOST` says, else `/var/run/docker.sock`. */
  readonly socketPath?: string;
}

/** The client of the daemon. Nothing is sent by this. */
export async function loadDocker({ socketPath }: DockerAddress): Promise<Docker> {
  const { default: Client } = await import('dockerode');
  return new Client(socketPath === undefined ? {} : { socketPath });
}

const failureSchema = z.object({
  statusCode: z.number().optional(),
  json: z.object({ message: z.string() }).optional(),
});

/** The daemon's answer to a request, as a number of HTTP; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  return failureSchema.safeParse(error).data?.statusCode;
}

export function wordsOf(error: unknown): string {
  return failureSchema.safeParse(error).data?.json?.message ?? messageOf(error);
}

/** Of something that is not there. */
export function orMissing(error: unknown): undefined {
  if (statusOf(error) === 404) return undefined;
  throw error;
}

/**
 * Work at the daemon within a time: dockerode has no way to give some questions up, so the wait ends
 * whether the work does or not. Failures become those of a deployment.
 */
export async function atDaemon<Result>(
  {
    what,
    signal,
    ms = 60_000,
  }: { readonly what: string; readonly signal: AbortSignal; readonly ms?: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ending = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => {
    reject(signal.reason);
    ending.abort(signal.reason);
  };
  const timer = setTimeout(() => {
    const late = deployFailed(`Docker did not ${what} within ${ms / 1000} s.`);
    reject(late);
    ending.abort(late);
  }, ms);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work(ending.signal), promise]);
  } catch (error) {
    if (signal.aborted || ForgeError.is(error)) throw error;
    throw deployFailed(`Docker could not ${what}: ${wordsOf(error).trim()}.`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
