import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Violation } from './violation.ts';

const file = 'package-lock.json';

const names = z.record(z.string(), z.string()).default({});
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: names })).default({}),
});

/**
 * The lockfile names versions and hashes, not addresses, so any registry or mirror will do; and
 * it is whole, so `npm ci` works on every machine.
 */
export function checkLockfile(root: string): Violation[] {
  const path = join(root, file);
  if (!existsSync(path)) {
    return [{ file, line: 1, problem: 'is missing.', fix: 'Run npm install and commit it.' }];
  }
  const text = readFileSync(path, 'utf8');
  return [...findAddresses(text), ...findMissing(text)];
}

function findAddresses(text: string): Violation[] {
  return text.split('\n').flatMap((line, index) => {
    const address = /"resolved":\s*"(?:git\+)?(?:https?|ssh|git):[^"]*"/.exec(line);
    if (address === null) return [];
    const fix =
      'Run npm install with the .npmrc of this repository (omit-lockfile-registry-resolved).';
    return [{ file, line: index + 1, problem: `holds a download address: ${address[0]}`, fix }];
  });
}

/**
 * Optional packages (a binary for each platform) that the registry could not give when the
 * lockfile was written are left out without a word, and `npm ci` refuses such a lockfile.
 */
function findMissing(text: string): Violation[] {
  const { packages } = lockSchema.parse(JSON.parse(text));
  return Object.entries(packages).flatMap(([owner, { optionalDependencies }]) => {
    const missing = Object.keys(optionalDependencies).filter(
      (name) => !placesOf(owner, name).some((place) => place in packages),
    );
    if (missing.length === 0) return [];
    return [
      {
        file,
        line: text.slice(0, text.indexOf(`"${owner}": {`)).split('\n').length,
        problem: `lacks packages that ${owner || 'the root'} may need: ${missing.join(', ')}.`,
        fix: 'Choose a version whose packages are all published, so that npm ci works.',
      },
    ];
  });
}

/** Where a package's dependency may lie: beside it, or in any folder above. */
function placesOf(owner: string, name: string): string[] {
  const parts = owner.split('/node_modules/');
  const above = parts.map((_, index) => parts.slice(0, index + 1).join('/node_modules/'));
  return [`node_modules/${name}`, ...above.map((place) => `${place}/node_modules/${name}`)];
}
