import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

const mapSchema = z.looseObject({ sources: z.array(z.string()) });

/**
 * Copies what was built from sources that still exist: a build leaves the output of deleted
 * files behind. Source maps get the source text inside, because sources are not published.
 */
export function copyBuilt(folder: string, target: string): void {
  const built = join(folder, 'dist');
  for (const file of globSync('**/*.{js,d.ts}', { cwd: built })) {
    const stem = file.replace(/(?:\.d\.ts|\.js)$/, '');
    if (!existsSync(join(folder, 'src', `${stem}.ts`))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    const text = readFileSync(join(built, file), 'utf8');
    if (file.endsWith('.d.ts')) {
      writeFileSync(join(target, file), text.replace(/\/\/# sourceMappingURL=.*\s*$/, ''));
      continue;
    }
    writeFileSync(join(target, file), text);
    writeFileSync(join(target, `${file}.map`), withSources(join(built, `${file}.map`)));
  }
}

function withSources(mapFile: string): string {
  const map = mapSchema.parse(JSON.parse(readFileSync(mapFile, 'utf8')));
  const sourcesContent = map.sources.map((source) =>
    readFileSync(join(dirname(mapFile), source), 'utf8'),
  );
  return JSON.stringify({ ...map, sourcesContent });
}
