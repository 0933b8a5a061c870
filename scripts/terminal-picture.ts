import { execFileSync } from 'node:child_process';
import { readScreen } from './picture/screen.ts';
import { toSvg } from './picture/to-svg.ts';

/**
 * Runs a command as if in a terminal of that width and returns what it shows as an SVG picture.
 * The output is the command's own: a command that fails makes no picture.
 */
export function terminalPicture(options: {
  command: string;
  args: readonly string[];
  /** What a reader would type. */
  title: string;
  columns: number;
  cwd: string;
}): string {
  const { command, args, title, columns, cwd } = options;
  const { NO_COLOR: _, ...inherited } = process.env;
  const env = { ...inherited, FORCE_COLOR: '1', COLUMNS: String(columns), TERM: 'xterm-256color' };
  const output = execFileSync(command, args, { cwd, env, encoding: 'utf8' });
  return toSvg(readScreen(output, columns), { columns, title });
}
