import * as z from 'zod';

export const searchInput = z.object({
  pattern: z.string().min(1).max(10_000).describe('Regular expression to look for.'),
  path: z.string().min(1).optional().describe('Folder or file to search. Default: the workspace.'),
  glob: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only files like this: "*.ts", "src/**/*.{js,jsx}".'),
  literal: z.boolean().optional().describe('The pattern is plain text, not a regular expression.'),
  ignore_case: z.boolean().optional(),
  context: z.int().min(0).max(20).optional().describe('Lines to show around each match.'),
  include_ignored: z.boolean().optional().describe('Also files that .gitignore names.'),
  max_results: z.int().min(1).max(1_000).optional().describe('Matches in all. Default 100.'),
});

export type SearchInput = z.infer<typeof searchInput>;
