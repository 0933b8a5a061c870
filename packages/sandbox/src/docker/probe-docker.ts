import type Docker from 'dockerode';
import * as z from 'zod';
import type { Availability } from '../sandbox.ts';
import { isUnreachable, statusOf, unreachable, wordsOf } from './docker-failure.ts';
import { within } from './in-time.ts';

const infoSchema = z.object({
  ServerVersion: z.string(),
  MemoryLimit: z.boolean().optional(),
  SwapLimit: z.boolean().optional(),
  PidsLimit: z.boolean().optional(),
  CpuCfsQuota: z.boolean().optional(),
  SecurityOptions: z.array(z.string()).nullish(),
  OSType: z.string().optional(),
});

/** A daemon that says nothing for so long is as good as none. */
const answerMs = 10_000;

/** Asks the daemon what it is and what it can hold. */
export async function probeDocker(
  docker: Docker,
  { image, signal }: { readonly image: string; readonly signal?: AbortSignal | undefined },
): Promise<Availability> {
  const late = AbortSignal.timeout(answerMs);
  const abortSignal = signal === undefined ? late : AbortSignal.any([signal, late]);
  try {
    signal?.throwIfAborted();
    const info = infoSchema.parse(await within(abortSignal, () => docker.info()));
    if (info.OSType !== undefined && info.OSType !== 'linux') {
      return {
        available: false,
        problem: `This Docker runs ${info.OSType} containers.`,
        fix: 'Switch it to Linux containers.',
      };
    }
    await within(abortSignal, () => docker.getImage(image).inspect());
    return { available: true, version: info.ServerVersion, cannot: cannotHold(info) };
  } catch (error) {
    signal?.throwIfAborted();
    if (isUnreachable(error) || late.aborted) return { available: false, ...unreachable(error) };
    if (statusOf(error) === 404) {
      const fix = 'Build it: forge sandbox build';
      return { available: false, problem: `There is no image ${image}.`, fix };
    }
    return {
      available: false,
      problem: wordsOf(error),
      fix: 'Look at the log of the Docker daemon.',
    };
  }
}

function cannotHold(info: z.infer<typeof infoSchema>): string[] {
  const missing: [boolean, string][] = [
    [info.MemoryLimit === false, 'no limit of memory: its cgroup is not there'],
    [
      info.SwapLimit === false,
      'swap is extra to the limit of memory: its cgroup does not count it',
    ],
    [info.PidsLimit === false, 'no limit of processes: its cgroup is not there'],
    [info.CpuCfsQuota === false, 'no limit of CPU: its cgroup is not there'],
    [
      !(info.SecurityOptions ?? []).some((option) => option.includes('seccomp')),
      'no filter of system calls: this Docker has no seccomp',
    ],
    [true, 'files of the workspace and /tmp count as memory: that is where they are kept'],
    [true, 'no limit of disk for caches and for the steps of builds'],
    [
      process.getuid?.() !== 0,
      'no list of allowed hosts: that takes root, to enter the network of a container',
    ],
  ];
  return missing.flatMap(([is, words]) => (is ? [words] : []));
}
