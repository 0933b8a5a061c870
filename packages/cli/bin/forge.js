#!/usr/bin/env node
// Plain JavaScript that old versions of Node understand: it finds a Node that can run Forge.
import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';

const neededMajor = 24;

/** The sources where they are (in a checkout), else what was built from them. */
function entry() {
  const source = new URL('../src/main.ts', import.meta.url);
  return existsSync(source) ? source : new URL('../dist/main.js', import.meta.url);
}

/** The answer of `forge --version` needs no program behind it. */
function printVersion() {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  process.stdout.write(`${JSON.parse(manifest).version ?? 'unknown'}\n`);
}

/** What was compiled once is kept in the user's own cache: less than half the time of a start. */
async function keepCompiled() {
  if (typeof nodeModule.enableCompileCache !== 'function') return;
  const [{ homedir }, { join }] = await Promise.all([import('node:os'), import('node:path')]);
  const { NODE_COMPILE_CACHE: chosen, XDG_CACHE_HOME: cache } = process.env;
  nodeModule.enableCompileCache(
    chosen || join(cache || join(homedir(), '.cache'), 'forge', 'compiled'),
  );
}

/** The binary of the `node` package in the nearest node_modules that has one. */
function findNode({ realpathSync, dirname, join, here }) {
  const binary = process.platform === 'win32' ? 'node.exe' : 'node';
  let folder = dirname(realpathSync(here));
  while (true) {
    const candidate = join(folder, 'node_modules', 'node', 'bin', binary);
    if (existsSync(candidate)) return realpathSync(candidate);
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
}

/** Runs this file again under that Node, and ends as it ends. */
function runUnder(node, { spawn, here }) {
  const args = [...process.execArgv, here, ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  const forward = (signal) => {
    // A terminal sends Ctrl-C to the child as well: passing it on would press it twice.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => fail(`${node} could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    for (const each of signals) process.off(each, forward);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}

function fail(problem) {
  process.stderr.write(`forge: ${problem}\n`);
  process.exitCode = 1;
}

if (process.argv.length === 3 && process.argv[2] === '--version') {
  printVersion();
} else if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  await keepCompiled();
  const { start } = await import(entry().href);
  await start();
} else {
  const { spawn } = await import('node:child_process');
  const { realpathSync } = await import('node:fs');
  const { dirname, join } = await import('node:path');
  const { fileURLToPath } = await import('node:url');
  const here = fileURLToPath(import.meta.url);
  const node = findNode({ realpathSync, dirname, join, here });
  if (node === undefined || node === realpathSync(process.execPath)) {
    fail(
      `Node ${neededMajor} or newer is needed, and this is ${process.version}.\n` +
        '  In a checkout: run "npm ci", which brings the right one along.\n' +
        '  Elsewhere: install it from https://nodejs.org, or run "npm install node@24" beside forge.',
    );
  } else {
    runUnder(node, { spawn, here });
  }
}
