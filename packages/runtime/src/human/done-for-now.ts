import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';

/**
 * A tool with which an agent says that there is nothing more to do at the moment. The turn ends and
 * the model is not asked again until something new comes: a message, a result, a due schedule.
 */
export function doneForNow({
  name = 'done_for_now',
  description = 'Ends your turn: nothing more is to be done until something new comes. Use it alone, after everything else.',
}: {
  readonly name?: string;
  readonly description?: string;
} = {}): Tool {
  return defineTool({
    name,
    description,
    input: z.object({
      summary: z.string().optional().describe('Where things stand, for the log.'),
    }),
    idempotent: true,
    triggers: false,
    run: () => 'Noted.',
  });
}
