import * as z from 'zod';

const manifestSchema = z.looseObject({
  name: z.string(),
  version: z.string(),
  exports: z.record(z.string(), z.string()),
  engines: z.record(z.string(), z.string()).optional(),
});

export type PublishableManifest = z.infer<typeof manifestSchema>;

/**
 * A package.json as it is published. In the repository `exports` points at the sources, so that
 * nothing needs a build; a published package has only what was built from them.
 */
export function publishableManifest(text: string): Record<string, unknown> {
  const { devDependencies: _, scripts: __, ...manifest } = manifestSchema.parse(JSON.parse(text));
  const exports: Record<string, unknown> = {};
  for (const [name, source] of Object.entries(manifest.exports)) {
    const stem = /^\.\/src\/(.+)\.ts$/.exec(source)?.[1];
    if (stem === undefined) {
      throw new Error(`${manifest.name}: exports["${name}"] is ${source}, not a ./src/….ts file.`);
    }
    exports[name] = { types: `./dist/${stem}.d.ts`, default: `./dist/${stem}.js` };
  }
  return { ...manifest, exports };
}
