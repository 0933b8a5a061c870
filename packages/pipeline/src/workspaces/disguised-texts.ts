import { type PrivateGit, readBatch } from '@forge/sandbox';

/** Git's own measure: what it looks at to tell a text. */
const lookedAt = 8_000;
/** A file of an image or a program has far more of these bytes, a text with one slipped in far fewer. */
const mostOdd = 0.1;
const mostBytes = 50_000_000;

/**
 * The changed files that git takes for binary, and so would only name, for a zero byte in what is
 * otherwise text: in a comment it hides all of a file from whoever reads the diff.
 */
export async function disguisedTexts(
  git: PrivateGit,
  range: { readonly from: string; readonly to: string; readonly signal?: AbortSignal | undefined },
): Promise<readonly string[]> {
  const { from, to, signal } = range;
  const common = ['diff-tree', '-r', '-z', '--no-renames'];
  const counted = await git.run({ args: [...common, '--numstat', from, to], signal });
  const binary = new Set(
    fields(counted.output).flatMap((entry) => (entry.startsWith('-\t-\t') ? [entry.slice(4)] : [])),
  );
  if (binary.size === 0) return [];
  const raw = fields((await git.run({ args: [...common, from, to], signal })).output);
  const found = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [, , , object = ''] = raw[at]?.split(' ') ?? [];
    const path = raw[at + 1] ?? '';
    if (binary.has(path) && !/^0+$/.test(object)) found.push({ path, object });
  }
  if (found.length === 0) return [];
  const input = found.map(({ object }) => `${object}\n`).join('');
  const args = ['cat-file', '--batch', '--buffer'];
  const { output, cut } = await git.run({ args, input, cutAt: mostBytes, signal });
  // So much that it cannot be told: it is shown, and found to be too long.
  if (cut) return found.map(({ path }) => path);
  const contents = readBatch(output);
  return found.flatMap(({ path, object }) => (isText(contents.get(object)) ? [path] : []));
}

function isText(bytes: Buffer | undefined): boolean {
  const head = bytes?.subarray(0, lookedAt) ?? Buffer.alloc(0);
  const odd = head.filter((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 13).length;
  return odd <= Math.max(1, head.length * mostOdd);
}

function fields(output: Buffer): readonly string[] {
  return output.toString('utf8').split('\0');
}
