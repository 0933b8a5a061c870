import { defineTool, type Tool } from '@forge/core';
import * as z from 'zod';
import { explainRefusal, startConfined } from '../inside/confined.ts';
import { QuotingError } from '../inside/quoting-error.ts';
import { readPieces } from '../inside/read-pieces.ts';
import { endedBySelf, saidOf } from '../inside/run-inside.ts';
import type { Toolbox } from '../toolbox.ts';

/** Every entry with a NUL behind it; folders end with /, links and the like with @. $1: how deep. */
const script = `
enter
exec find . -mindepth 1 -maxdepth "$1" \\
  -type d \\( -name .git -o -name node_modules \\) -prune -exec printf '%s/\\0' {} + -o \\
  -type d -exec printf '%s/\\0' {} + -o \\
  -type f -exec printf '%s\\0' {} + -o \\
  -exec printf '%s@\\0' {} +
`;

const mostEntries = 20_000;
const shownEntries = 1_000;

export function listTool({ sandboxOf, results }: Toolbox): Tool {
  return defineTool({
    name: 'list',
    description:
      'Lists a folder of the workspace: folders end with "/", links with "@". Does not go into .git and node_modules.',
    input: z.object({
      path: z.string().min(1).optional().describe('Folder. Default: the workspace.'),
      recursive: z.boolean().optional().describe('Also what is in its folders.'),
      max_depth: z.int().min(1).max(20).optional().describe('How deep, if recursive. Default 3.'),
    }),
    idempotent: true,
    run: async ({ path = '.', recursive = false, max_depth = 3 }, context) => {
      const sandbox = await sandboxOf(context);
      const entries: string[] = [];
      const take = (piece: Uint8Array | undefined): boolean => {
        if (piece !== undefined) entries.push(new TextDecoder().decode(piece).slice(2));
        return entries.length < mostEntries;
      };
      const args = [String(recursive ? max_depth : 1)];
      const confined = { sandbox, path, script, args };
      const execution = startConfined(confined, context.signal);
      const { result, stopped } = await readPieces({ execution, end: 0, take });
      if (!stopped) explainRefusal(confined, endedBySelf(result, 'sh', context.signal));
      if (entries.length === 0) {
        if (result.exitCode === 0) return 'The folder is empty.';
        const said = 'The folder could not be listed.';
        throw new QuotingError('tool_failed', { said, quote: saidOf(result) });
      }
      const shown = entries.sort().slice(0, shownEntries);
      const content = shown.join('\n');
      const list = await results.showWorkspace({ source: path, content, whole: true });
      if (shown.length === entries.length) return list;
      const all = stopped ? `more than ${entries.length}` : entries.length;
      return `${list}\n[${shown.length} of ${all} entries. List a folder inside it, or use glob.]`;
    },
  });
}
