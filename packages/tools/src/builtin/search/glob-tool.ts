import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';
import { explainRefusal, startConfined } from '../inside/confined.ts';
import { QuotingError } from '../inside/quoting-error.ts';
import { readPieces } from '../inside/read-pieces.ts';
import { endedBySelf, saidOf } from '../inside/run-inside.ts';
import { workspacePath } from '../inside/workspace-path.ts';
import type { Toolbox } from '../toolbox.ts';
import { globPattern } from './glob-pattern.ts';
import { hasRg } from './search-commands.ts';

/** Every file, with a NUL behind each. $1: whether those that .gitignore names are left out. */
const script = `
enter
[ "$1" = yes ] && set -- || set -- --no-ignore
if ${hasRg}; then
  exec rg --files --null --no-config --hidden --no-require-git --glob='!.git' "$@"
else
  exec find . -name .git -prune -o -type f -print0
fi
`;

const mostMatches = 20_000;

export function globTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Finds files of the workspace by name: "*.ts" in any folder, "src/**/*.test.ts", "*.{json,yaml}". Leaves out what .gitignore names.',
    input: z.object({
      pattern: z.string().min(1).max(1_000).describe('Such as "src/**/*.ts".'),
      path: z.string().min(1).optional().describe('Folder to look in. Default: the workspace.'),
      include_ignored: z.boolean().optional().describe('Also files that .gitignore names.'),
      max_results: z.int().min(1).max(5_000).optional().describe('Default 200.'),
    }),
    idempotent: true,
    run: async ({ pattern, path = '.', include_ignored, max_results = 200 }, context) => {
      const sandbox = await sandboxOf(context);
      const prefix = workspacePath(path, sandbox.workspace);
      const matches = globPattern(pattern);
      const files: string[] = [];
      const take = (piece: Uint8Array | undefined): boolean => {
        const file = new TextDecoder().decode(piece).replace(/^\.\//, '');
        if (file !== '' && matches(file)) files.push(prefix === '.' ? file : `${prefix}/${file}`);
        return files.length < mostMatches;
      };
      const args = [include_ignored === true ? 'no' : 'yes'];
      const confined = { sandbox, path, script, args };
      const execution = startConfined(confined, context.signal);
      const { result, stopped } = await readPieces({ execution, end: 0, take });
      if (!stopped) explainRefusal(confined, endedBySelf(result, 'sh', context.signal));
      if (files.length === 0) {
        if (result.exitCode <= 1) return 'No files found.';
        const said = 'The files could not be listed.';
        throw new QuotingError('tool_failed', { said, quote: saidOf(result) });
      }
      const shown = files.sort().slice(0, max_results);
      const content = shown.join('\n');
      const list = await results.showWorkspace({ source: 'glob', content, whole: true });
      if (shown.length === files.length) return list;
      const all = stopped ? `more than ${files.length}` : files.length;
      return `${list}\n[${shown.length} of ${all} files. Narrow the pattern or raise max_results.]`;
    },
  });
}
