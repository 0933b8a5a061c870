import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readJson } from '../files/read-json.ts';
import { writeJson } from '../files/write-json.ts';
import { dockerConfigSchema } from './docker-config.ts';

const releaseSchema = z.object({
  v: z.literal(1),
  release: z.string(),
  image: z.string(),
  repository: z.string(),
  pushed: z.string().optional(),
  builtAt: z.number(),
  /** How it is run. It may hold secrets: only its owner can read the file. */
  config: dockerConfigSchema,
});
type DockerRelease = z.infer<typeof releaseSchema>;

/** What is known of the releases of a project, a file each. */
export class DockerReleases {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, 'releases');
  }

  read(release: string): DockerRelease | undefined {
    return readJson(this.#file(release), releaseSchema);
  }

  write(release: string, about: DockerRelease): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeJson(this.#file(release), about);
  }

  /** The images of those that are kept. */
  images(): Map<string, string> {
    const all = this.#releases().flatMap((release) => this.read(release) ?? []);
    return new Map(all.map(({ release, image }) => [release, image]));
  }

  #releases(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length));
    } catch {
      return [];
    }
  }

  /** Keeps the newest, and those that are needed whatever their age. */
  prune({ keep, needed }: { readonly keep: number; readonly needed: readonly string[] }): void {
    const newestFirst = this.#releases()
      .map((release) => ({ release, builtAt: this.read(release)?.builtAt ?? 0 }))
      .sort((a, b) => b.builtAt - a.builtAt);
    const kept = new Set(needed);
    for (const { release } of newestFirst) if (kept.size < keep) kept.add(release);
    for (const { release } of newestFirst) {
      if (!kept.has(release)) rmSync(this.#file(release), { force: true });
    }
  }

  #file(release: string): string {
    return join(this.#folder, `${release}.json`);
  }
}
