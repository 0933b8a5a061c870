import { defineTool, ForgeError, type Tool } from '@forge/core';
import type { Sandbox } from '@forge/sandbox';
import * as z from 'zod';
import { changeFiles, type FileChange } from '../files/change-files.ts';
import { readWhole } from '../files/read-bytes.ts';
import type { Toolbox } from '../toolbox.ts';
import { applyHunks } from './apply-hunks.ts';
import { type FilePatch, patchProblem } from './file-patch.ts';
import { parsePatch } from './parse-patch.ts';

const largestFile = 8 * 1024 * 1024;
const mostFiles = 200;

export function applyPatchTool({ sandboxOf }: Toolbox): Tool {
  return defineTool({
    name: 'apply_patch',
    description:
      'Changes files of the workspace by a patch: a unified diff, or the form "*** Begin Patch / *** Update File: path / @@ / lines with -, + or space before them / *** End Patch" (also "*** Add File:", "*** Delete File:", "*** Move to:"). All of it is applied or nothing.',
    input: z.object({ patch: z.string().min(1).describe('The patch.') }),
    run: async ({ patch }, context) => {
      const sandbox = await sandboxOf(context);
      const files = parsePatch(patch);
      if (files.length > mostFiles) throw patchProblem(`it has more than ${mostFiles} files.`);
      refuseTwice(files);
      const changes: FileChange[] = [];
      for (const file of files) changes.push(...(await planFile(sandbox, file, context.signal)));
      await changeFiles({ sandbox, changes }, context.signal);
      return ['Patch applied:', ...files.map(describe)].join('\n');
    },
  });
}

/** The same file twice would read what the first change has not written yet. */
function refuseTwice(files: readonly FilePatch[]): void {
  const seen = new Set<string>();
  for (const file of files) {
    const paths = [file.path, ...(file.type === 'update' && file.moveTo ? [file.moveTo] : [])];
    for (const path of paths) {
      if (seen.has(path)) {
        throw patchProblem(`${JSON.stringify(path)} is in it twice. Join its parts into one.`);
      }
      seen.add(path);
    }
  }
}

async function planFile(
  sandbox: Sandbox,
  file: FilePatch,
  signal: AbortSignal,
): Promise<FileChange[]> {
  const { path } = file;
  if (file.type === 'add') {
    const text = file.lines.join('\n') + (file.newline && file.lines.length > 0 ? '\n' : '');
    return [{ path, content: Buffer.from(text), expected: 'none' }];
  }
  const before = await readWhole({ sandbox, path, maxBytes: largestFile }, signal);
  if (file.type === 'delete') return [{ path, content: undefined, expected: before }];
  const content = applyHunks(path, Buffer.from(before), file.hunks);
  if (file.moveTo === undefined) {
    if (content.equals(before)) {
      throw new ForgeError('tool_failed', `The patch does not change ${JSON.stringify(path)}.`);
    }
    return [{ path, content, expected: before }];
  }
  return [
    { path: file.moveTo, content, expected: 'none', like: path },
    { path, content: undefined, expected: before },
  ];
}

function describe(file: FilePatch): string {
  switch (file.type) {
    case 'add':
      return `A ${file.path}`;
    case 'delete':
      return `D ${file.path}`;
    case 'update':
      return file.moveTo === undefined ? `M ${file.path}` : `R ${file.path} -> ${file.moveTo}`;
  }
}
