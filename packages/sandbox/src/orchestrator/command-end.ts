import { z } from 'zod';
import type { ExecEnd, ExecResult } from '../sandbox.ts';

type Ending = Pick<ExecResult, 'end' | 'exitCode' | 'dropped' | 'durationMs'>;

/** The end of a command as a message. */
export function toCommandEnd({ end, exitCode, dropped, durationMs }: Ending): object {
  return { ...endField(end), exitCode, droppedBytes: dropped, durationMs };
}

function endField(end: ExecEnd): object {
  switch (end.type) {
    case 'exited':
      return { exited: end.code };
    case 'signalled':
      return { signalled: { signal: end.signal, outOfMemory: end.outOfMemory ?? false } };
    case 'timed_out':
      return { timedOut: end.afterMs };
    case 'cancelled':
      return { cancelled: true };
    case 'not_started':
      return { notStarted: end.problem };
    case 'sandbox_ended':
      return { sandboxEnded: end.problem };
  }
}

const ending = z.object({
  exitCode: z.number(),
  droppedBytes: z.number().nonnegative(),
  durationMs: z.number().nonnegative(),
});

export const commandEndSchema = z.discriminatedUnion('end', [
  ending.extend({ end: z.literal('exited'), exited: z.number() }),
  ending.extend({
    end: z.literal('signalled'),
    signalled: z.object({ signal: z.string(), outOfMemory: z.boolean() }),
  }),
  ending.extend({ end: z.literal('timedOut'), timedOut: z.number() }),
  ending.extend({ end: z.literal('cancelled') }),
  ending.extend({ end: z.literal('notStarted'), notStarted: z.string() }),
  ending.extend({ end: z.literal('sandboxEnded'), sandboxEnded: z.string() }),
]);

/** A message as the end of a command. */
export function fromCommandEnd(message: z.infer<typeof commandEndSchema>): Ending {
  const { exitCode, droppedBytes: dropped, durationMs } = message;
  return { end: endOf(message), exitCode, dropped, durationMs };
}

function endOf(message: z.infer<typeof commandEndSchema>): ExecEnd {
  switch (message.end) {
    case 'exited':
      return { type: 'exited', code: message.exited };
    case 'signalled': {
      const { signal, outOfMemory } = message.signalled;
      return { type: 'signalled', signal, ...(outOfMemory && { outOfMemory }) };
    }
    case 'timedOut':
      return { type: 'timed_out', afterMs: message.timedOut };
    case 'cancelled':
      return { type: 'cancelled' };
    case 'notStarted':
      return { type: 'not_started', problem: message.notStarted };
    case 'sandboxEnded':
      return { type: 'sandbox_ended', problem: message.sandboxEnded };
  }
}
