import { existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import type { CommandContext } from '../../context.ts';
import { projectFileName } from '../../project/find-project-file.ts';
import { parseProjectFile } from '../../project/read-project-file.ts';
import { publishedSchema } from '../../settings/json-schema.ts';
import { withProvider } from '../../settings/model-names.ts';
import { UsageError } from '../../usage-error.ts';
import type { InitFlags } from '../init.ts';
import { agentProjectText, agentPrompt, agentPromptPath } from './agent-project.ts';
import { type Detected, detectProject } from './detect-project.ts';
import { openFolder } from './folder.ts';
import { nextSteps } from './next-steps.ts';
import { projectText, schemaPath } from './project-text.ts';

/** Writes `forge.yaml` and the schema editors check it by, and says how to go on. */
export function initProject(
  name: string | undefined,
  { force = false, model, agent = false, json = false }: InitFlags,
  { terminal: getTerminal, cwd }: CommandContext,
): void {
  const terminal = getTerminal();
  const folder = name === undefined ? cwd : newFolder(name, cwd);
  const detected = detectProject(openFolder(folder));
  const projectName = nameFor(detected.name ?? basename(folder));
  const file = join(folder, projectFileName);
  const named = model === undefined ? undefined : withProvider(model);
  const about = { name: projectName, model: named };
  const text = agent ? agentProjectText(about) : projectText({ ...about, detected });
  parseProjectFile(file, text);
  const backup = writeNew(file, text, { force });
  const schema = writeSchema(folder);
  if (agent) writePrompt(folder);
  const work =
    detected.target === undefined ? 'plans, codes, reviews' : 'plans, codes, reviews, deploys';
  const run = agent ? 'asks your agent' : work;
  const next = nextSteps({ folder, cwd, hasModel: named !== undefined, run });
  if (json) {
    const { because, ...found } = detected;
    terminal.out(
      JSON.stringify({ file, schema, backup, ...found, name: projectName, because, next }),
    );
    return;
  }
  terminal.out(`${terminal.style('green', 'wrote')} ${relative(cwd, file) || file}`);
  if (backup !== undefined) terminal.out(`The old one is kept as ${relative(cwd, backup)}`);
  for (const line of agent ? [agentPromptPath] : describe(detected)) terminal.out(`  ${line}`);
  terminal.out('\nNext:');
  const width = Math.max(...next.map(({ command }) => command.length));
  for (const { command, why } of next) {
    const gap = ' '.repeat(width - command.length + 2);
    terminal.out(`  ${terminal.style('cyan', command)}${why === '' ? '' : gap + why}`);
  }
}

function newFolder(name: string, cwd: string): string {
  const folder = resolve(cwd, name);
  if (name.trim() === '' || /[\0\n]/.test(name))
    throw new UsageError('It takes the name of a folder.');
  try {
    mkdirSync(folder, { recursive: true });
  } catch (cause) {
    const isFile = statSync(folder, { throwIfNoEntry: false })?.isFile() === true;
    const why = isFile ? 'is a file' : `cannot be made (${messageOf(cause)})`;
    throw new ForgeError('invalid_options', `${folder} ${why}. Choose another name.`, { cause });
  }
  return folder;
}

/** A name the settings take: that of the package without its scope, or of the folder. */
export function nameFor(text: string): string {
  const name = text
    .replace(/^@[^/]*\//, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 64);
  return name === '' ? 'project' : name;
}

/** Never over something that is there: with `force` that is moved aside, and its new path given. */
function writeNew(
  file: string,
  text: string,
  { force }: { readonly force: boolean },
): string | undefined {
  let backup: string | undefined;
  if (force && existsSync(file)) {
    backup = freeName(`${file}.bak`);
    renameSync(file, backup);
  }
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) {
      throw new ForgeError('invalid_options', `${file} cannot be written: ${messageOf(cause)}`, {
        cause,
      });
    }
    throw new ForgeError(
      'already_exists',
      `There is a forge.yaml in ${dirname(file)} already. Change it, or write --force: it is then kept as forge.yaml.bak.`,
      { cause },
    );
  }
  return backup;
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}.${number}`;
    if (!existsSync(name)) return name;
  }
}

function writeSchema(folder: string): string {
  const file = join(folder, schemaPath);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(publishedSchema(), undefined, 2)}\n`);
  return file;
}

/** One that is there is the user's own. */
function writePrompt(folder: string): void {
  const file = join(folder, agentPromptPath);
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, agentPrompt, { flag: 'wx' });
}

function describe({ language, checks, target, start, because }: Detected): readonly string[] {
  return [
    language === undefined
      ? 'language: not recognised; write it in'
      : `language: ${language} (${because.join(', ')})`,
    checks.length === 0
      ? 'checks: none found; write in what tests it'
      : `checks: ${checks.join(', ')}`,
    target === undefined
      ? 'deploy: no start command found; write in how it is started'
      : `deploy: ${target}${target === 'process' ? ` (${start})` : ''}`,
  ];
}
