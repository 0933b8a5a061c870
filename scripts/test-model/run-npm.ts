import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs npm in a folder. Rejects with what it said when it fails. */
export async function runNpm(args: readonly string[], { folder }: { folder: string }) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const child = spawn(npm, [...args, ...quiet], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${said.trim()}`);
}
