import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ForgeEnd, ForgeProcess } from './forge-process.ts';

/** A place for one demo: a folder for its project, and a home of its own for all else. */
export class DemoPlace {
  readonly root = mkdtempSync(join(tmpdir(), 'forge-demo-test-'));
  readonly folder = join(this.root, 'project');
  /** For temporary files. */
  readonly temp = join(this.root, 'temp');
  readonly #env: NodeJS.ProcessEnv;

  constructor() {
    mkdirSync(this.temp);
    // Sandboxes run as somebody else, who has to get to their folders.
    chmodSync(this.root, 0o755);
    const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
    const own = Object.entries(inherited).filter(([name]) => !name.startsWith('FORGE_'));
    this.#env = {
      ...Object.fromEntries(own),
      HOME: this.root,
      TMPDIR: this.temp,
      XDG_STATE_HOME: join(this.root, 'state'),
      XDG_CONFIG_HOME: join(this.root, 'config'),
    };
  }

  /** Starts `forge` in the project, or where that will be. */
  start(...args: readonly string[]): ForgeProcess {
    const cwd = existsSync(this.folder) ? this.folder : this.root;
    return new ForgeProcess(args, { cwd, env: this.#env });
  }

  /** Runs `forge` to its end. */
  forge(...args: readonly string[]): Promise<ForgeEnd> {
    return this.start(...args).ended;
  }

  git(...args: readonly string[]): readonly string[] {
    const output = execFileSync('git', args, { cwd: this.folder, encoding: 'utf8' });
    return output.split('\n').filter((line) => line !== '');
  }

  /** Processes that have to do with this place, by what they were called with or where they are. */
  processes(): readonly string[] {
    return readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
      const look = (what: () => string) => {
        try {
          return what();
        } catch {
          return ''; // It has ended, or is none of ours.
        }
      };
      const about = [
        look(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
        look(() => readFileSync(`/proc/${pid}/environ`, 'utf8')),
        look(() => readlinkSync(`/proc/${pid}/cwd`)),
      ];
      return about.some((text) => text.includes(this.root)) ? [`${pid} ${about[0]}`] : [];
    });
  }

  /** Those that stay, once the others had time to end. */
  async staying(): Promise<readonly string[]> {
    for (let tries = 0; tries < 600 && this.processes().length > 0; tries += 1) await pause(50);
    return this.processes();
  }

  /** Temporary files that nobody took away. */
  leftovers(): readonly string[] {
    return readdirSync(this.temp);
  }

  /** Ends the service and takes everything away. */
  async remove(): Promise<void> {
    if (existsSync(this.folder)) await this.forge('demo', 'clean', this.folder);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
