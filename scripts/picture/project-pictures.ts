import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { storyRequest } from '../../packages/cli/src/demo/story/story-text.ts';
import { recordTerminal } from './record-terminal.ts';
import { readScreen, type Screen } from './screen.ts';
import { toSvg } from './to-svg.ts';

export interface Picture {
  readonly name: string;
  readonly svg: string;
}

const columns = 100;
const rows = 60;
/** Rows of the inspection that are shown: it goes on alike. */
const inspected = 40;

/** The moment of a run that shows most: sent back, deployed, refused, rolled back, being mended. */
const moment = /fix \(2\) .*run_checks/;

/** Plays the demo, then its request once more with `forge run`, and looks at what came of it. */
export async function* projectPictures(bin: string): AsyncGenerator<Picture> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'forge-')));
  const forge = join(root, 'bin', 'forge');
  const folder = join(root, 'shortlinks');
  mkdirSync(join(root, 'bin'));
  // By its own name, as where it is installed.
  symlinkSync(bin, forge);
  const { FORGE_STORE: _, ...inherited } = process.env;
  const env = { ...inherited, HOME: root, XDG_STATE_HOME: join(root, 'state') };
  const record = (cwd: string, args: readonly string[], onOutput?: (output: string) => void) =>
    recordTerminal({
      ...{ command: process.execPath, args: [forge, ...args], columns, rows, cwd, env },
      ...(onOutput !== undefined && { onOutput }),
    });
  const draw = (name: string, title: string, output: string, most = Infinity): Picture => ({
    name,
    svg: toSvg(beginning(readScreen(output, columns), most), { columns, title }),
  });
  try {
    const demo = await record(root, ['demo', '--keep', '--folder', folder]);
    yield draw('demo', 'forge demo', demo);
    let shown: string | undefined;
    await record(folder, ['run', storyRequest], (output) => {
      if (shown === undefined && moment.test(lastScreen(output))) shown = output;
    });
    if (shown === undefined) throw new Error('The moment for the picture of the run did not come.');
    yield draw('run', `forge run "${storyRequest}"`, shown);
    yield draw('status', 'forge status', await record(folder, ['status']));
    const [{ id }] = JSON.parse(
      execFileSync(process.execPath, [forge, 'list', '--json'], {
        cwd: folder,
        env,
        encoding: 'utf8',
      }),
    );
    const short = id.slice(0, 8);
    yield draw(
      'inspect',
      `forge inspect ${short}`,
      await record(folder, ['inspect', short]),
      inspected,
    );
  } finally {
    execFileSync(process.execPath, [forge, 'demo', 'clean', folder], { cwd: root, env });
    rmSync(root, { recursive: true, force: true });
  }
}

/** The first rows, with a sign that there are more. */
function beginning(screen: Screen, most: number): Screen {
  if (screen.length <= most) return screen;
  return [...screen.slice(0, most), [{ text: '⋮', style: { dim: true } }]];
}

/** What is new on the screen is written last. */
function lastScreen(output: string): string {
  return stripVTControlCharacters(output.slice(-20_000));
}
