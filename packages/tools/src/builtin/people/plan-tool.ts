import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';

const marks = { pending: '[ ]', in_progress: '[>]', done: '[x]', dropped: '[-]' } as const;

/**
 * A tool with which a model writes down what it is about to do. The plan is in the call, and so in
 * the log: nothing else holds it, nothing is lost at a restart.
 */
export function planTool(): Tool {
  return defineTool({
    name: 'plan',
    description:
      'Writes down your plan, all of it, each time something about it changes. For work of several steps.',
    input: z.object({
      steps: z
        .array(
          z.object({
            step: z.string().min(1).max(500).describe('What is done in it, in a few words.'),
            status: z.enum(['pending', 'in_progress', 'done', 'dropped']),
          }),
        )
        .min(1)
        .max(100),
      note: z.string().max(2_000).optional().describe('Why it changed.'),
    }),
    idempotent: true,
    run: ({ steps }) => {
      const done = steps.filter(({ status }) => status === 'done' || status === 'dropped').length;
      const next = steps.find(({ status }) => status === 'in_progress' || status === 'pending');
      const list = steps.map(({ step, status }, index) => `${marks[status]} ${index + 1}. ${step}`);
      const end = next === undefined ? 'Everything is done.' : `Next: ${next.step}`;
      return [`${done} of ${steps.length} steps done.`, ...list, end].join('\n');
    },
  });
}
