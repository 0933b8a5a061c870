import type Docker from 'dockerode';
import * as z from 'zod';
import type { TargetProblem } from '../target.ts';
import { wordsOf } from './docker-client.ts';

const answerMs = 10_000;
const infoSchema = z.object({ OSType: z.string().optional() });
const modemSchema = z.object({ socketPath: z.string().optional(), host: z.string().optional() });

/** Whether there is a daemon of this machine that runs Linux containers. */
export async function daemonProblems(
  docker: Docker,
  signal: AbortSignal,
): Promise<TargetProblem[]> {
  const { socketPath, host } = modemSchema.parse({ ...docker.modem });
  if (socketPath === undefined && host !== undefined && !/^(?:localhost|127\.)/.test(host)) {
    const problem = `DOCKER_HOST leads to ${host}; containers there cannot be reached from here.`;
    return [{ problem, fix: 'Use the daemon of this machine: unset DOCKER_HOST.' }];
  }
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer in ${answerMs / 1000} s`)), answerMs);
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const { OSType } = infoSchema.parse(await Promise.race([docker.info(), promise]));
    if (OSType === undefined || OSType === 'linux') return [];
    const fix = 'Switch it to Linux containers.';
    return [{ problem: `This Docker runs ${OSType} containers.`, fix }];
  } catch (error) {
    signal.throwIfAborted();
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES' || code === 'EPERM') {
      const fix = 'Add the user to the group "docker" and log in again.';
      return [{ problem: 'This user may not talk to the Docker daemon.', fix }];
    }
    const fix = 'Start it ("systemctl start docker", "dockerd"), or set DOCKER_HOST.';
    return [{ problem: `The Docker daemon does not answer (${wordsOf(error)}).`, fix }];
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
