import * as z from 'zod';
import { releaseSpecSchema } from './keeper-state.ts';

/** What a keeper can be asked for. One request per connection: letting go of it ends the work. */
export const controlRequestSchema = z.discriminatedUnion('op', [
  /** Runs a command to its end; what it prints is told. */
  z.object({
    op: z.literal('build'),
    release: z.string(),
    command: z.array(z.string()).min(1),
    cwd: z.string(),
    env: z.record(z.string(), z.string()),
    timeoutMs: z.number().positive(),
  }),
  /** Starts a release if need be, proves it healthy, and gives it the traffic. */
  z.object({
    op: z.literal('activate'),
    spec: releaseSpecSchema,
    host: z.string(),
    port: z.int().min(0).max(65_535),
    /** The one before goes on running, to go back to quickly. */
    keepPrevious: z.boolean(),
  }),
  z.object({ op: z.literal('status') }),
  /** Waits until what was asked before is done, or cleared away. */
  z.object({ op: z.literal('settle') }),
  /** Ends everything, and itself. */
  z.object({ op: z.literal('stop') }),
]);
export type ControlRequest = z.infer<typeof controlRequestSchema>;
export type BuildOrder = Extract<ControlRequest, { op: 'build' }>;
export type ActivateOrder = Extract<ControlRequest, { op: 'activate' }>;

export const activatedSchema = z.object({
  url: z.string(),
  /** What the live release listens on. */
  port: z.int(),
  report: z.string(),
  /** Releases that nobody needs any more, ended or free of requests. */
  ended: z.array(z.string()),
});
export type Activated = z.infer<typeof activatedSchema>;

export const keeperStatusSchema = z.object({
  url: z.string().optional(),
  live: z.string().optional(),
  previous: z.string().optional(),
  phase: z.string().optional(),
  restarts: z.int(),
  failure: z.string().optional(),
});
export type KeeperStatus = z.infer<typeof keeperStatusSchema>;

/** What comes back, a line each: any number of `tell`, then one end. */
export const controlReplySchema = z.union([
  z.object({ tell: z.string() }),
  z.object({ done: z.json() }),
  z.object({ failed: z.object({ code: z.string(), message: z.string() }) }),
]);
export type ControlReply = z.infer<typeof controlReplySchema>;

/** Longer lines are not read: nobody has to send one. */
export const longestLine = 4 * 1024 * 1024;
