import { ForgeError } from '@forge/core';
import type { WriteEntry } from '../../archive/write-tar.ts';
import type { ExecResult, Sandbox } from '../../sandbox.ts';
import {
  adoptScript,
  clearScript,
  insideCodes,
  insideEnvironment,
  lookScript,
  placeScript,
  unpackScript,
} from './inside-scripts.ts';
import { plainEntries, tarOf } from './plain-entries.ts';
import { plainAttributes, plainConfig } from './private-git.ts';
import { readBatch, readRaw, spoiled, type TreeChange } from './read-look.ts';
import type { Repository } from './repository.ts';

export interface LookLimits {
  /** Of the contents of changed files together. */
  readonly bytes: number;
  readonly files: number;
}

export const defaultLookLimits: LookLimits = { bytes: 50 * 1024 * 1024, files: 100_000 };

/** What is in the workspace now, against a tree. */
export interface Look {
  /** As git inside says. Whoever writes the tree sees whether it is so. */
  readonly tree: string;
  readonly changes: readonly TreeChange[];
  readonly contents: ReadonlyMap<string, Buffer>;
  /** Paths git did not take. */
  readonly left: readonly string[];
  /** What git complained about. */
  readonly said: string;
}

const inlineBytes = 200_000;
const pieceBytes = 8 * 1024 * 1024;
const longestMs = 300_000;
/** Of one line in the list of changes; on the average over all of them. */
const mostNameBytes = 500;

/** The git folder beside the workspace in a sandbox, and what is done with it. */
export class TreeInside {
  readonly #sandbox: Sandbox;
  /** In the sandbox, outside the workspace. */
  readonly #folder: string;

  constructor(sandbox: Sandbox, folder: string) {
    this.#sandbox = sandbox;
    this.#folder = folder;
  }

  /** `sandbox_failed`, with what to do, if there is no git in the sandbox. */
  static async in(sandbox: Sandbox, signal?: AbortSignal): Promise<TreeInside> {
    const result = await runInside(sandbox, { script: placeScript, args: [], signal });
    const temporary = new TextDecoder().decode(result.stdout);
    return new TreeInside(sandbox, `${temporary.replace(/\/+$/, '')}/.forge-keep`);
  }

  /** Makes the files of a tree that the repository in the workspace has; an empty index before. */
  async unpack(tree: string, isHead: boolean, signal?: AbortSignal): Promise<void> {
    await this.#run(unpackScript, [tree, isHead ? 'same' : 'other'], signal);
  }

  /** Writes our folder anew. With objects of its own if given, else it uses the workspace's. */
  async lay(format: Repository['format'], objects?: AsyncIterable<WriteEntry>): Promise<void> {
    const borrowed = `${this.#sandbox.workspace}/.git/objects\n`;
    const files = {
      'git/HEAD': 'ref: refs/heads/none\n',
      // What is lost with the sandbox need not reach a disk first.
      'git/config': plainConfig(format).replace(/\tfsync = .*\n/, '\tfsync = none\n'),
      'git/info/attributes': plainAttributes,
      ...(objects === undefined && { 'git/objects/info/alternates': borrowed }),
    };
    await this.#run(clearScript, []);
    await this.#sandbox.copyIn(
      this.#folder,
      tarOf(plainEntries(files, ['git/refs', 'git/objects/pack']), objects ?? []),
    );
  }

  /** Takes the files as they are for a change of that tree. Our folder was laid before. */
  async adopt(tree: string, signal?: AbortSignal): Promise<void> {
    await this.#run(adoptScript, [tree], signal);
  }

  /**
   * What differs from a tree that was looked at, unpacked or adopted before. `too_large` over the
   * limits; `tool_failed` if our folder is not as we left it.
   */
  async look(base: string, limits: LookLimits, signal?: AbortSignal): Promise<Look> {
    const most = Math.min(inlineBytes, Math.floor(this.#sandbox.limits.outputBytes / 2));
    const args = [base, String(limits.bytes), String(most)];
    const { stdout } = await this.#run(lookScript, args, signal);
    const bytes = Buffer.from(stdout.buffer, stdout.byteOffset, stdout.byteLength);
    const head = /^([0-9a-f]{40,64}) (\d+) (\d+) (\d+) (\d+)\n/.exec(
      bytes.subarray(0, 200).toString('latin1'),
    );
    if (head === null) throw spoiled('its answer');
    const [line, tree = '', ...rest] = head;
    const sizes = rest.map(Number);
    const [names = 0, contents = 0] = sizes;
    if (contents > limits.bytes || names > limits.files * mostNameBytes) {
      throw new ForgeError(
        'too_large',
        `The changed files are too much to be kept: more than ${limits.bytes} bytes, or ${limits.files} files. Remove what is not needed, or leave it out with a .gitignore file.`,
      );
    }
    const total = sizes.reduce((sum, size) => sum + size, 0);
    const [raw, batch, left, said] =
      total > most
        ? await this.#fetch(sizes)
        : splitAt(bytes.subarray(line.length, line.length + total), sizes);
    return {
      tree,
      changes: readRaw(raw, limits.files),
      contents: readBatch(batch),
      left: left
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== ''),
      said: said.toString('utf8'),
    };
  }

  /** Reads what was too much to be printed. */
  async #fetch(sizes: readonly number[]): Promise<Four> {
    const parts: Buffer[] = [];
    for (const [index, name] of ['raw', 'new', 'left', 'said'].entries()) {
      const size = sizes[index] ?? 0;
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < size; at += pieceBytes) {
        const range = { offset: at, limit: Math.min(pieceBytes, size - at) };
        pieces.push((await this.#sandbox.readFile(`${this.#folder}/${name}`, range)).bytes);
      }
      parts.push(Buffer.concat(pieces));
    }
    const [raw, batch, left, said] = parts;
    if (!raw || !batch || !left || !said) throw spoiled('its files');
    // It may be much, in a place that counts as memory.
    await this.#sandbox.writeFile(`${this.#folder}/new`, '');
    return [raw, batch, left, said];
  }

  #run(script: string, args: readonly string[], signal?: AbortSignal): Promise<ExecResult> {
    const sandbox = this.#sandbox;
    const places = [sandbox.workspace, this.#folder];
    return runInside(sandbox, { script, args: [...places, ...args], signal });
  }
}

type Four = [Buffer, Buffer, Buffer, Buffer];

function splitAt(bytes: Buffer, sizes: readonly number[]): Four {
  let at = 0;
  const parts = sizes.map((size) => {
    at += size;
    return bytes.subarray(at - size, at);
  });
  const [raw, batch, left, said] = parts;
  if (!raw || !batch || !left || !said || at !== bytes.length) throw spoiled('its answer');
  return [raw, batch, left, said];
}

async function runInside(
  sandbox: Sandbox,
  command: {
    readonly script: string;
    readonly args: readonly string[];
    readonly signal?: AbortSignal | undefined;
  },
): Promise<ExecResult> {
  const { script, args, signal } = command;
  const timeoutMs = Math.min(longestMs, sandbox.limits.timeMs);
  const argv = ['sh', '-c', script, 'sh', ...args] as const;
  const result = await sandbox.exec(
    { argv, env: insideEnvironment, timeoutMs },
    signal === undefined ? {} : { signal },
  ).result;
  if (result.end.type === 'exited' && result.end.code === 0) return result;
  throw failureOf(result, signal);
}

function failureOf({ end, stderr }: ExecResult, signal?: AbortSignal): unknown {
  const said = new TextDecoder().decode(stderr.subarray(0, 2_000)).trim();
  switch (end.type) {
    case 'sandbox_ended':
      return new ForgeError('not_running', `The sandbox ended: ${end.problem}`);
    case 'cancelled':
      return signal?.reason ?? new ForgeError('cancelled', 'It was cancelled.');
    case 'timed_out':
      return new ForgeError(
        'tool_failed',
        `Git in the sandbox took longer than ${end.afterMs} ms.`,
      );
    case 'exited':
      if (end.code === insideCodes.noGit) {
        return new ForgeError(
          'sandbox_failed',
          'git is not in this sandbox, and the work of a run is kept with it. Use an image that has git (`forge sandbox build` makes one), or install git for bubblewrap and plain processes.',
        );
      }
      if (end.code === insideCodes.noWorkspace) {
        return new ForgeError('tool_failed', 'The workspace is gone from the sandbox.');
      }
      return new ForgeError(
        'tool_failed',
        `Git in the sandbox failed: ${said || `exit code ${end.code}`}`,
      );
    case 'signalled':
      return new ForgeError('tool_failed', `Git in the sandbox was ended by ${end.signal}.`);
    case 'not_started':
      return new ForgeError('sandbox_failed', `There is no shell in the sandbox: ${end.problem}`);
  }
}
