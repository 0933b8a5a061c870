import { posix } from 'node:path';
import { ForgeError, messageOf } from '@forge/core';
import type { IFileSystem } from 'just-bash';
import { checkPath, checkRange } from '../checks/check-path.ts';
import type { ByteRange, FileContent, WriteOptions } from '../sandbox.ts';
import { fileMethods } from './messages.ts';

export const workspace = '/workspace';

/** No stream is endless here: a device gives what a reader asks for, up to this. */
const deviceBytes = 32 * 1024 * 1024;

/** The files of one sandbox. */
export class MemoryFiles {
  readonly #fs: IFileSystem;
  readonly #zeros = new Uint8Array(deviceBytes);

  constructor(fs: IFileSystem) {
    this.#fs = fs;
  }

  /** Answers a shell: the same methods, and devices where it looks for them. */
  async answer(name: string, args: readonly unknown[]): Promise<unknown> {
    const method = fileMethods.find((known) => known === name);
    const call = method === undefined ? undefined : this.#fs[method];
    if (method === undefined || call === undefined) throw new Error(`EINVAL: ${name}`);
    const [path] = args;
    if (path === '/dev/zero') {
      if (method === 'readFileBuffer') return this.#zeros;
      if (method === 'readFileBytes' || method === 'readFile') return '\0'.repeat(deviceBytes);
    }
    if (path === '/dev/null' && (method === 'writeFile' || method === 'appendFile')) return;
    // The shell calls the same interface, of the same package: the arguments fit.
    return await (call as (...args: unknown[]) => unknown).apply(this.#fs, [...args]);
  }

  resolve(path: string): string {
    checkPath(path);
    return posix.resolve(workspace, path);
  }

  async read(path: string, range?: ByteRange): Promise<FileContent> {
    const { offset, limit } = checkRange(range);
    const place = this.resolve(path);
    const { isFile } = await this.#try(path, () => this.#fs.stat(place));
    if (!isFile) throw notAFile(path);
    const bytes = await this.#try(path, () => this.#fs.readFileBuffer(place));
    return { bytes: bytes.slice(offset, offset + limit), size: bytes.length };
  }

  async write(path: string, content: Uint8Array | string, { mode }: WriteOptions = {}) {
    const place = this.resolve(path);
    const before = await this.statOf(place);
    if (before !== undefined && !before.isFile) throw notAFile(path);
    await this.makeFolder(posix.dirname(place));
    // A copy: what the caller does with its bytes later must not change the file.
    const bytes = typeof content === 'string' ? Buffer.from(content) : Uint8Array.from(content);
    await this.#try(path, () => this.#fs.writeFile(place, bytes));
    await this.#try(path, () => this.#fs.chmod(place, mode ?? before?.mode ?? 0o644));
  }

  /** With its parents. Refuses where a file is in the way. */
  async makeFolder(place: string): Promise<void> {
    const missing: string[] = [];
    for (let folder = place; ; folder = posix.dirname(folder)) {
      const stat = await this.statOf(folder);
      if (stat?.isDirectory) break;
      if (stat !== undefined || folder === '/') throw notAFile(folder);
      missing.unshift(folder);
    }
    for (const folder of missing) await this.#try(folder, () => this.#fs.mkdir(folder));
  }

  /** Following links; undefined where nothing is. */
  async statOf(place: string) {
    return await this.#fs.stat(place).catch(() => undefined);
  }

  /** All bytes of all files below a folder, links not followed. */
  async sizeOf(folder: string): Promise<number> {
    let total = 0;
    const left = [folder];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (const name of await this.#fs.readdir(next)) {
        const place = posix.join(next, name);
        const stat = await this.#fs.lstat(place).catch(() => undefined);
        if (stat?.isDirectory) left.push(place);
        else if (stat?.isFile) total += stat.size;
      }
    }
    return total;
  }

  get fs(): IFileSystem {
    return this.#fs;
  }

  async #try<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      throw fileError(path, error);
    }
  }
}

function notAFile(path: string): ForgeError {
  return new ForgeError('not_a_file', `${path} is not a file.`);
}

/** What the files say, as an error of Forge. They say it in words that begin like those of Node. */
export function fileError(path: string, error: unknown): ForgeError {
  const message = messageOf(error);
  if (/^(?:ENOENT|ELOOP)/.test(message)) {
    return new ForgeError('not_found', `There is no ${path} in the sandbox.`, { cause: error });
  }
  if (/^(?:EISDIR|ENOTDIR|EEXIST)/.test(message)) return notAFile(path);
  if (/ENOSPC|exceed|limit/i.test(message)) {
    const text = `${path} does not fit: the files of the sandbox would be over limits.diskBytes.`;
    return new ForgeError('too_large', text, { cause: error });
  }
  return new ForgeError('sandbox_failed', `${path}: ${message}`, { cause: error });
}
