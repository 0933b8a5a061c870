import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a command in a real terminal of that size (by `script` of util-linux) and gives all that it
 * wrote, with everything it did to the screen. A command that fails gives nothing. `onOutput` is
 * told all there is so far, whenever there is more.
 */
export async function recordTerminal({
  command,
  args,
  columns,
  rows,
  cwd,
  env,
  onOutput = () => {},
}: {
  readonly command: string;
  readonly args: readonly string[];
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onOutput?: (output: string) => void;
}): Promise<string> {
  const words = [command, ...args].map(quoted).join(' ');
  const line = `stty cols ${columns} rows ${rows}; exec ${words}`;
  // Variables that speak against colours, or of another screen.
  const { NO_COLOR: _, COLUMNS: __, CI: ___, ...inherited } = env;
  const recorder = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd,
    env: { ...inherited, TERM: 'xterm-256color' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  recorder.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    onOutput(output);
  });
  const [code] = await once(recorder, 'close');
  if (code !== 0) throw new Error(`${words} ended with ${code}:\n${output}`);
  return output;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
