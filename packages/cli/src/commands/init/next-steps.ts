import { relative } from 'node:path';
import { findGitRoot } from '../../project/find-project-file.ts';

/** A command to go on with, and what it is for. */
export interface Step {
  readonly command: string;
  readonly why: string;
}

export function nextSteps({
  folder,
  cwd,
  hasModel,
  run,
}: {
  readonly folder: string;
  readonly cwd: string;
  readonly hasModel: boolean;
  /** What running it does. */
  readonly run: string;
}): readonly Step[] {
  const place = relative(cwd, folder);
  return [
    ...(place === '' ? [] : [{ command: `cd ${quoted(place)}`, why: '' }]),
    ...(findGitRoot(folder) === undefined
      ? [{ command: 'git init && git add -A && git commit -m "Begin"', why: 'work happens in git' }]
      : [
          {
            command: 'git add forge.yaml .forge && git commit -m "Add forge.yaml"',
            why: 'work begins with what is committed',
          },
        ]),
    ...(hasModel
      ? []
      : [{ command: 'export FORGE_MODEL=ollama:qwen3:8b', why: 'or set model in forge.yaml' }]),
    { command: 'forge doctor', why: 'whether everything it needs is there' },
    { command: 'forge run "what you want"', why: run },
  ];
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
