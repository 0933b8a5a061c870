import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';
import type { Toolbox } from '../toolbox.ts';
import { applyEdits, type Edit } from './apply-edits.ts';
import { changeFiles } from './change-files.ts';
import { readWhole } from './read-bytes.ts';
import { showChange } from './show-change.ts';

const largestFile = 8 * 1024 * 1024;

const fields = {
  old_text: z
    .string()
    .min(1)
    .describe(
      'Text to replace, exactly as it stands in the file, with its spaces and line breaks.',
    ),
  new_text: z.string().describe('What stands there afterwards. Empty to take it out.'),
  replace_all: z.boolean().optional().describe('Replace it everywhere. Else it must be unique.'),
};

const input = z
  .object({
    path: z.string().min(1).describe('File to change, such as "src/main.ts".'),
    old_text: fields.old_text.optional(),
    new_text: fields.new_text.optional(),
    replace_all: fields.replace_all,
    edits: z
      .array(z.object(fields))
      .min(1)
      .max(100)
      .optional()
      .describe('Several edits instead of one, made in this order: all of them or none.'),
  })
  .refine(
    ({ old_text, new_text, edits }) =>
      edits === undefined
        ? old_text !== undefined && new_text !== undefined
        : old_text === undefined && new_text === undefined,
    { path: ['old_text'], message: 'give old_text and new_text, or edits' },
  );

export function editTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Changes a file of the workspace by replacing text in it, exactly. If the text is not found, the nearest lines are shown.',
    input,
    run: async (args, context) => {
      const sandbox = await sandboxOf(context);
      const { path } = args;
      const before = await readWhole({ sandbox, path, maxBytes: largestFile }, context.signal);
      const edits = args.edits ?? [oneEdit(args)];
      const after = applyEdits(path, Buffer.from(before), edits);
      const change = { path, content: after, expected: before };
      await changeFiles({ sandbox, changes: [change] }, context.signal);
      const content = showChange(path, before, after);
      const shown = await results.showWorkspace({ source: path, content, exact: true });
      return `Edited ${path}.\n${shown}`.trimEnd();
    },
  });
}

function oneEdit({ old_text = '', new_text = '', replace_all }: z.infer<typeof input>): Edit {
  return { old_text, new_text, replace_all };
}
