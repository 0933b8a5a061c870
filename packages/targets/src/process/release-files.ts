import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readJson } from '../files/read-json.ts';
import { writeJson } from '../files/write-json.ts';
import { releaseSpecSchema } from '../keeper/keeper-state.ts';

/** A release that is complete: what it is of, and how it is run. Not read by anybody else: it may hold secrets. */
const releaseFileSchema = z.object({
  v: z.literal(1),
  digest: z.string(),
  /** When it was built; newer ones are higher. */
  builtAt: z.number(),
  spec: releaseSpecSchema,
});
export type ReleaseFile = z.infer<typeof releaseFileSchema>;

/** The releases of a project in its folder: `releases/<id>/` is the tree, `releases/<id>.json` says that it is complete. */
export class ReleaseFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = join(folder, 'releases');
  }

  tree(id: string): string {
    return join(this.#folder, id);
  }

  read(id: string): ReleaseFile | undefined {
    return readJson(this.#file(id), releaseFileSchema);
  }

  write(id: string, release: ReleaseFile): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    writeJson(this.#file(id), release);
  }

  /** First the word that it is complete, then the tree. */
  remove(id: string): void {
    rmSync(this.#file(id), { force: true });
    rmSync(this.tree(id), { recursive: true, force: true, maxRetries: 3 });
  }

  /** Keeps the newest, and those that are needed whatever their age. Also removes what was never completed. */
  prune({ keep, needed }: { readonly keep: number; readonly needed: readonly string[] }): void {
    const names = this.#names();
    const complete = [...new Set(names.map((name) => name.replace(/\.json$/, '')))]
      .map((id) => ({ id, builtAt: this.read(id)?.builtAt ?? 0 }))
      .sort((a, b) => b.builtAt - a.builtAt);
    const kept = new Set(needed);
    for (const { id, builtAt } of complete) if (kept.size < keep && builtAt > 0) kept.add(id);
    for (const { id } of complete) if (!kept.has(id)) this.remove(id);
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder).filter((name) => !name.endsWith('.draft'));
    } catch {
      return [];
    }
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
