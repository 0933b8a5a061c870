import { request as ask } from 'node:http';
import { messageOf } from '@forge/core';
import type { HealthConfig } from './health-check.ts';

export interface Answer {
  readonly right: boolean;
  /** In a few words: `200`, `500 instead of 200`, `connection refused`. */
  readonly got: string;
}

/**
 * Asks one time, on a connection of its own. Never rejects, unless aborted. Not by `fetch`: that does
 * not ask at some ports, and goes through a proxy where the environment names one.
 */
export async function askOnce(
  base: string,
  health: HealthConfig,
  signal: AbortSignal,
): Promise<Answer> {
  const late = AbortSignal.timeout(health.request_timeout_s * 1000);
  try {
    const status = await statusOf(base, health.path, AbortSignal.any([signal, late]));
    const right = status === health.status;
    return { right, got: right ? `${status}` : `${status} instead of ${health.status}` };
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) return { right: false, got: `no answer in ${health.request_timeout_s} s` };
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    return { right: false, got: isRefused ? 'connection refused' : messageOf(error) };
  }
}

async function statusOf(base: string, path: string, signal: AbortSignal): Promise<number> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const headers = { 'user-agent': 'forge-health' };
  const request = ask(base, { path, headers, signal, agent: false }, (response) => {
    resolve(response.statusCode ?? 0);
    request.destroy(); // What it says is not read.
  });
  request.on('error', reject);
  request.once('close', () => reject(new Error('no answer'))); // Another protocol, unasked.
  request.end();
  return await promise;
}
