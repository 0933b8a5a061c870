import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { ForgeError, type JsonObject, messageOf } from '@forge/core';
import { stringify } from 'yaml';
import { projectFiles } from './story/project-files.ts';
import { storyScript } from './story/story-script.ts';

export interface DemoProject {
  /** A git repository with everything in it: also the store, under `.forge/`, which git ignores. */
  readonly folder: string;
  readonly store: string;
  readonly model: string;
  /** What holds its sandboxes. */
  readonly backend: string;
  /** Of the first version. */
  readonly commit: string;
  readonly files: number;
}

export interface MakeProjectOptions {
  /** Where to make it. Has to be empty or not there. Default: a new folder for temporary files. */
  readonly folder?: string | undefined;
  /** Default: the scripted one. */
  readonly model?: string | undefined;
  readonly backend: string;
  /** How node is called in the sandbox. */
  readonly node: string;
  /** Before each reply of the scripted model. */
  readonly delayMs: number;
  readonly signal: AbortSignal;
}

/** A file by which a folder of the demo is known again. */
export const madeMarker = '.forge/demo';

const storeFile = '.forge/runs.db';
const scriptFile = '.forge/script.yaml';

/** Plain processes can be held to no network, so that they are not asked to. */
export function sandboxSettings(backend: string): JsonObject {
  return { backend, ...(backend === 'process' && { network: 'full' }) };
}

/** Where the runs of a demo are kept. */
export function storeOf(folder: string): string {
  return join(folder, storeFile);
}

/** Makes the demo's project: the first version of a service, its `forge.yaml`, one commit. */
export async function makeProject(options: MakeProjectOptions): Promise<DemoProject> {
  const { delayMs, signal } = options;
  const folder = await makeFolder(options.folder);
  await mkdir(join(folder, '.forge'));
  await writeFile(join(folder, madeMarker), 'Made by forge demo.\n');
  if (options.model === undefined) {
    const script = stringify({ delayMs, ...storyScript(options.node) }, { lineWidth: 0 });
    await writeFile(join(folder, scriptFile), script);
  }
  const files = { ...projectFiles, 'forge.yaml': settingsFile(options) };
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await git(folder, ['init', '--quiet', '--initial-branch=main'], signal);
  await git(folder, ['add', '--all'], signal);
  await git(folder, ['commit', '--quiet', '--message', 'Begin: short links'], signal);
  const commit = await git(folder, ['rev-parse', 'HEAD'], signal);
  const model = options.model ?? `scripted:${join(folder, scriptFile)}`;
  const { backend } = options;
  const store = storeOf(folder);
  return { folder, store, model, backend, commit, files: Object.keys(files).length };
}

/** Files are named from its own folder: the project is the same wherever it is made. */
function settingsFile({
  model = `scripted:${scriptFile}`,
  backend,
  node,
}: Pick<MakeProjectOptions, 'model' | 'backend' | 'node'>): string {
  return `# How Forge works on this project. "forge config --origins" shows where each value comes from.
${stringify({
  name: 'shortlinks',
  language: 'javascript',
  model,
  store: storeFile,
  checks: [`${node} --test`],
  max_parallel_coders: 2,
  max_deploy_attempts: 2,
  agents: { reviewer: { max_review_rounds: 3 } },
  sandbox: sandboxSettings(backend),
  deploy: {
    target: 'process',
    config: { start: `${node} src/main.js`, port: 0, health: { path: '/health' } },
  },
})}`;
}

async function makeFolder(wanted: string | undefined): Promise<string> {
  if (wanted === undefined) {
    const parent = await mkdtemp(join(await realpath(tmpdir()), 'forge-demo-'));
    const folder = join(parent, 'shortlinks');
    await mkdir(folder);
    return folder;
  }
  const folder = resolve(wanted);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new ForgeError(
      'already_exists',
      `${folder} is not empty. Give the demo a folder of its own, or none: it makes one.`,
    );
  }
  return realpath(folder);
}

/** Git with settings of its own: nobody's hooks, signatures or line ends. */
async function git(cwd: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const settings = {
    'user.name': 'Forge demo',
    'user.email': 'demo@example.org',
    'core.hooksPath': '/dev/null',
    'core.autocrlf': 'false',
    'commit.gpgSign': 'false',
    'init.templateDir': '',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  try {
    const { stdout } = await promisify(execFile)('git', [...flags, ...args], { cwd, signal });
    return stdout.trim();
  } catch (error) {
    signal.throwIfAborted();
    throw new ForgeError(
      'sandbox_failed',
      `git could not make the demo's repository: ${messageOf(error)}. Git has to be installed.`,
      { cause: error },
    );
  }
}
