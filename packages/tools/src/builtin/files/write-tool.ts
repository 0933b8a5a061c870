import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';
import type { Toolbox } from '../toolbox.ts';
import { changeFiles } from './change-files.ts';

export function writeTool({ sandboxOf }: Toolbox): Tool {
  return defineTool({
    name: 'write',
    description:
      'Writes a whole file of the workspace: makes it with its folders, or replaces what it was. To change a part of a file use edit.',
    input: z.object({
      path: z.string().min(1).describe('File to write, such as "src/main.ts".'),
      content: z.string().describe('All of its new content.'),
    }),
    idempotent: true,
    run: async ({ path, content }, context) => {
      const sandbox = await sandboxOf(context);
      const bytes = Buffer.from(content);
      const changes = [{ path, content: bytes, expected: 'any' as const }];
      await changeFiles({ sandbox, changes }, context.signal);
      return `Successfully wrote ${bytes.length} bytes to ${path}`;
    },
  });
}
