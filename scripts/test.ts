import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * Runs the tests: all of them, or the files, folders and options of `node --test` it is given.
 *
 *     npm test
 *     npm test -- packages/core/src/rescue
 *     npm test -- --test-name-pattern='never throws' packages/core
 *     SEED=7 npm test -- packages/core
 */
const everything = ['packages/*/src', 'packages/*/test', 'examples', 'scripts', 'bench'];

const given = process.argv.slice(2);
const options = given.filter((each) => each.startsWith('-'));
const places = given.filter((each) => !each.startsWith('-'));
const patterns =
  places.length > 0
    ? places.map((place) => (isFolder(place) ? `${place}/**/*.test.ts` : place))
    : everything.map((folder) => `${folder}/**/*.test.ts`);

const root = fileURLToPath(new URL('..', import.meta.url));
const reporter = fileURLToPath(new URL('./concise-reporter.ts', import.meta.url));
const seed = new URL('./seed-properties.ts', import.meta.url).href;
// Most files wait for servers and sandboxes more than they compute.
const atOnce = `--test-concurrency=${Math.max(2, availableParallelism())}`;
const args = [
  ...['--import', seed, '--test', atOnce, `--test-reporter=${reporter}`],
  ...[...options, ...patterns],
];
const tests = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
tests.on('exit', (code, signal) => {
  if (signal !== null) console.error(`The tests were stopped by ${signal}.`);
  process.exitCode = code ?? 1;
});

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
