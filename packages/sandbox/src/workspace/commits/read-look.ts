import { ForgeError } from '@forge/core';

/** One path that differs between two trees. */
export interface TreeChange {
  /** As git has it: bytes, in whatever encoding. */
  readonly path: Buffer;
  /** `000000`: it is gone. */
  readonly mode: string;
  readonly object: string;
}

/** Of a file, one that may be run, a link, a folder of another repository. */
const modes = ['100644', '100755', '120000'];
const gone = '000000';
const submodule = '160000';
const rawLine = /^:([0-7]{6}) ([0-7]{6}) [0-9a-f]{40,64} ([0-9a-f]{40,64}) [A-Z]\d*$/;

/** Reads what `git diff-tree -r -z --raw` printed. It comes out of a sandbox: anything may be in it. */
export function readRaw(raw: Buffer, most: number): TreeChange[] {
  const changes: TreeChange[] = [];
  for (let at = 0; at < raw.length; ) {
    const line = untilNul(raw, at);
    const path = untilNul(raw, at + line.length + 1);
    at += line.length + path.length + 2;
    const [, before, mode = '', object = ''] = rawLine.exec(line.toString('latin1')) ?? [];
    const known =
      modes.includes(mode) || mode === gone || (mode === submodule && before === submodule);
    if (!known || path.length === 0) throw spoiled('the list of changes');
    if (changes.length >= most) {
      throw new ForgeError(
        'too_large',
        `More than ${most} files were changed at once. Leave out what is not to be kept with a .gitignore file.`,
      );
    }
    changes.push({ path, mode, object });
  }
  return changes;
}

function untilNul(bytes: Buffer, from: number): Buffer {
  const end = bytes.indexOf(0, from);
  if (end < 0) throw spoiled('the list of changes');
  return bytes.subarray(from, end);
}

/** Reads what `git cat-file --batch` printed: contents by the name they are said to have. */
export function readBatch(batch: Buffer): Map<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < batch.length; ) {
    const end = batch.indexOf(10, at);
    const head = batch.subarray(at, Math.max(end, at)).toString('latin1');
    const [, object, length] = /^([0-9a-f]{40,64}) blob (\d{1,12})$/.exec(head) ?? [];
    const from = end + 1;
    const to = from + Number(length);
    if (object === undefined || batch[to] !== 10) throw spoiled('the contents of files');
    contents.set(object, batch.subarray(from, to));
    at = to + 1;
  }
  return contents;
}

/** What came out is not what our script writes: somebody changed its files, or git there is broken. */
export function spoiled(what: string): ForgeError {
  return new ForgeError(
    'tool_failed',
    `Git in the sandbox gave ${what} in a form it never has. Nothing was kept of this.`,
  );
}
