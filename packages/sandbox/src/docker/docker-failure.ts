import { ForgeError, messageOf } from '@forge/core';
import * as z from 'zod';
import { SilentDaemon } from './in-time.ts';

/** What dockerode and Node put into their errors. */
const failureSchema = z.object({
  statusCode: z.number().optional(),
  code: z.string().optional(),
  json: z.object({ message: z.string() }).optional(),
});

/** The daemon's answer to a request, as a number of HTTP; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  return failureSchema.safeParse(error).data?.statusCode;
}

/** What the daemon said, or what kept us from asking it. */
export function wordsOf(error: unknown): string {
  return failureSchema.safeParse(error).data?.json?.message ?? messageOf(error);
}

export function isUnreachable(error: unknown): boolean {
  const code = failureSchema.safeParse(error).data?.code ?? '';
  return ['ENOENT', 'ECONNREFUSED', 'EACCES', 'EPERM', 'ENOTFOUND', 'ETIMEDOUT'].includes(code);
}

/** Why the daemon cannot be reached and what to do about it. */
export function unreachable(error: unknown): { readonly problem: string; readonly fix: string } {
  const code = failureSchema.safeParse(error).data?.code;
  if (code === 'EACCES' || code === 'EPERM') {
    return {
      problem: 'This user may not talk to the Docker daemon.',
      fix: 'Add the user to the group "docker" and log in again, or use bubblewrap.',
    };
  }
  return {
    problem: `The Docker daemon does not answer (${messageOf(error)}).`,
    fix: 'Start it ("dockerd", "systemctl start docker"), set DOCKER_HOST, or use bubblewrap.',
  };
}

/** A start that failed, for a person. */
export function startFailure(
  error: unknown,
  about: { image: string; attempts: number },
): ForgeError {
  if (ForgeError.is(error)) return error;
  const failed = (message: string) => new ForgeError('sandbox_failed', message, { cause: error });
  if (isUnreachable(error)) {
    const { problem, fix } = unreachable(error);
    return failed(`${problem} ${fix}`);
  }
  const words = wordsOf(error);
  if (/no such image/i.test(words)) {
    return failed(
      `There is no image ${about.image}. Build it with "forge sandbox build", or name another.`,
    );
  }
  const tries = about.attempts === 1 ? 'once' : `${about.attempts} times`;
  return failed(`Docker could not start a container of ${about.image}, tried ${tries}: ${words}`);
}

/** Whether another try may go better: not where the daemon said what is wrong with the request. */
export function isWorthRetrying(error: unknown): boolean {
  if (error instanceof SilentDaemon) return false;
  if (ForgeError.is(error)) return ForgeError.is(error, 'sandbox_failed');
  const status = statusOf(error);
  return status === undefined || status >= 500;
}
