import * as z from 'zod';
import { healthConfigSchema } from '../health/health-check.ts';

/** A line for a shell, or a program with its arguments. */
export const commandSchema = z.union([
  z.string().trim().min(1).max(10_000),
  z.array(z.string().max(10_000)).min(1).max(200),
]);
export type CommandSetting = z.infer<typeof commandSchema>;

export const processConfigSchema = z.strictObject({
  start: commandSchema.describe('Starts the service. It has to listen on $PORT of $HOST.'),
  build: commandSchema.optional().describe('Run in the copy before it is started.'),
  build_timeout_s: z.number().positive().max(86_400).default(600),
  host: z.string().min(1).max(255).default('127.0.0.1').describe('Where the service is reached.'),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(0)
    .describe('Where the service is reached. 0: a free one is taken and kept.'),
  health: healthConfigSchema.prefault({}),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(100_000))
    .default({})
    .describe('Variables for build and start.'),
  keep: z.int().min(1).max(50).default(3).describe('Releases kept to go back to.'),
  stop_grace_s: z.number().min(0).max(600).default(10).describe('From SIGTERM to SIGKILL.'),
  restarts: z.int().min(0).max(1_000).default(5).describe('In a row, before it is given up.'),
  restart_delay_ms: z.int().min(1).max(60_000).default(250).describe('Doubled each time.'),
});
export type ProcessConfig = z.infer<typeof processConfigSchema>;

/** As programs are started: a line goes to the shell. */
export function toArgv(command: CommandSetting): string[] {
  return typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
}
