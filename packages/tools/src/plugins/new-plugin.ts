import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ForgeError } from '@forge/core';

/**
 * Makes the folder of a new plugin that works as it is: one tool, one test, a README. Never writes
 * over anything. Gives the files it made.
 */
export async function newPlugin({
  folder,
  name,
}: {
  readonly folder: string;
  /** Of the package, such as `forge-plugin-weather`. */
  readonly name: string;
}): Promise<readonly string[]> {
  if (!/^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/.test(name) || name.length > 214) {
    throw new ForgeError(
      'invalid_options',
      `"${name}" cannot be the name of a package. Use small letters, digits and dashes, such as forge-plugin-weather.`,
    );
  }
  try {
    await mkdir(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    const why = code === 'EEXIST' ? 'is there already' : 'cannot be made';
    throw new ForgeError('invalid_options', `${folder} ${why}. Choose another folder.`, {
      cause: error,
    });
  }
  await mkdir(join(folder, 'src'));
  const files = Object.entries(filesOf(name));
  for (const [path, text] of files) await writeFile(join(folder, path), text, { flag: 'wx' });
  return files.map(([path]) => join(folder, path));
}

function filesOf(name: string): Readonly<Record<string, string>> {
  const manifest = {
    name,
    version: '0.1.0',
    type: 'module',
    keywords: ['forge-plugin'],
    forge: { plugin: './src/index.ts' },
    scripts: { test: 'node --test src/*.test.ts' },
    peerDependencies: { '@forge/core': '^0.1.0', '@forge/tools': '^0.1.0', zod: '^4' },
    engines: { node: '>=24' },
  };
  return {
    'package.json': `${JSON.stringify(manifest, undefined, 2)}\n`,
    'src/index.ts': `import { defineTool } from '@forge/core';
import { definePlugin } from '@forge/tools';
import * as z from 'zod';

const roll = defineTool({
  name: 'roll_dice',
  description: 'Rolls dice and gives what they show',
  input: z.object({ dice: z.int().min(1).max(100).default(1).describe('how many dice') }),
  run: ({ dice }) => Array.from({ length: dice }, () => 1 + Math.floor(Math.random() * 6)),
});

export const plugin = definePlugin({ tools: [roll] });
`,
    'src/index.test.ts': `import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plugin } from './index.ts';

it('rolls as many dice as it is told', async () => {
  const [roll] = plugin.tools ?? [];
  const context = {
    runId: 'run',
    callId: 'call',
    idempotencyKey: 'key',
    signal: new AbortController().signal,
  };
  const shown = await roll?.run?.({ dice: 3 }, context);
  assert.ok(Array.isArray(shown));
  assert.equal(shown.length, 3);
});
`,
    'README.md': `# ${name}

A plugin for Forge. Install it in a project and \`forge plugin list\` shows it:

    npm install ./${name}
    forge plugin list
`,
  };
}
