import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLocalModel } from '@forge/models';
import { runNpm } from './run-npm.ts';
import type { OpenVoice } from './voice.ts';

const version = '3.22.1';

/** The model in this process, through node-llama-cpp from the cache folder. */
export const embeddedVoice: OpenVoice = async ({ cache, weights, settings, threads, say }) => {
  const folder = await fetchEngine(cache, say);
  const entry = join(folder, 'node_modules/node-llama-cpp/dist/index.js');
  const model = createLocalModel(weights, {
    settings,
    threads,
    gpu: false,
    contextLength: 2_048,
    load: () => import(pathToFileURL(entry).href),
  });
  return { client: model, close: () => model.dispose() };
};

/** Its optional packages are builds for GPUs (700 MB); only the one for this machine is taken. */
async function fetchEngine(cache: string, say: (line: string) => void): Promise<string> {
  const folder = join(cache, `node-llama-cpp-${version}`);
  if (existsSync(folder)) return folder;
  say(`Fetching node-llama-cpp@${version} from the npm registry…`);
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'fetch-'));
  try {
    await writeFile(join(work, 'package.json'), '{"private":true}');
    const build = `@node-llama-cpp/${process.platform}-${process.arch}@${version}`;
    await runNpm(['install', '--omit=optional', `node-llama-cpp@${version}`, build], {
      folder: work,
    });
    await rename(work, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}
