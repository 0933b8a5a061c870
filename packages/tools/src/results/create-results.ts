import { randomBytes } from 'node:crypto';
import { countHidden, neutralise } from '@forge/core';
import { createMemoryArchive, type ResultArchive } from './archive.ts';
import { cutMiddle } from './cut-middle.ts';
import { decodeText } from './decode-text.ts';
import { markUntrusted } from './mark-untrusted.ts';

export interface ResultOptions {
  /** Where what is not shown is kept. Default: in memory, 64 MB. */
  readonly archive?: ResultArchive;
  /** Characters of a result that are shown. Default 30,000. */
  readonly maxChars?: number;
  /** What stands in the workspace was written by strangers: mark it as data from outside. */
  readonly untrustedWorkspace?: boolean;
  /** A number nobody can guess, for marks. */
  readonly newNonce?: () => string;
}

export interface Shown {
  readonly content: string | Uint8Array;
  /** Where it comes from, if it comes from outside. */
  readonly untrusted?: string;
  /** Leave control characters as they are, and say that there are some: for text to be edited. */
  readonly exact?: boolean;
  /** Not cut: the tool has done so, and says itself how to go on. */
  readonly whole?: boolean;
}

/** The way from what a tool found to what the model sees. */
export interface Results {
  readonly archive: ResultArchive;
  readonly maxChars: number;
  readonly untrustedWorkspace: boolean;
  readonly newNonce: () => string;
  /**
   * Text that is decoded, harmless to print, short enough, and marked if it came from outside. What
   * was done to it is said below it, in our own words and outside the marks.
   */
  show(shown: Shown): Promise<string>;
  /** The same for content of the workspace: from outside if the options say so. */
  showWorkspace(shown: Omit<Shown, 'untrusted'> & { readonly source: string }): Promise<string>;
}

export function createResults({
  archive = createMemoryArchive(),
  maxChars = 30_000,
  untrustedWorkspace = false,
  newNonce = () => randomBytes(6).toString('hex'),
}: ResultOptions = {}): Results {
  const show = async ({
    content,
    untrusted,
    exact = false,
    whole = false,
  }: Shown): Promise<string> => {
    const notes: string[] = [];
    const { text: raw, damaged } =
      typeof content === 'string' ? { text: content, damaged: false } : decodeText(content);
    if (damaged) notes.push('Some bytes were not valid UTF-8 and are shown as \ufffd.');
    const hidden = exact ? countHidden(raw.replace(/^\ufeff/, '')) : 0;
    if (hidden > 0) notes.push(`${hidden} invisible or text-turning characters are in this text.`);
    const text = exact ? raw : neutralise(raw);
    const cut = whole ? undefined : cutMiddle(text, maxChars);
    let shown = text;
    if (cut !== undefined) {
      const bytes = Buffer.from(text);
      const gap = `[... ${bytes.length - cut.headBytes - cut.tailBytes} bytes not shown ...]`;
      shown = `${cut.head}\n${gap}\n${cut.tail}`;
      notes.push(await keep(archive, { bytes, next: cut.headBytes }));
    }
    if (untrusted !== undefined && shown !== '') {
      shown = markUntrusted({ text: shown, source: untrusted, nonce: newNonce() });
    }
    return [shown, ...notes.map((note) => `[${note}]`)].join('\n');
  };
  return {
    archive,
    maxChars,
    untrustedWorkspace,
    newNonce,
    show,
    showWorkspace: ({ source, ...shown }) =>
      show({ ...shown, ...(untrustedWorkspace && { untrusted: source }) }),
  };
}

/** What cannot be kept is still shown in part. */
async function keep(
  archive: ResultArchive,
  { bytes, next }: { readonly bytes: Uint8Array; readonly next: number },
): Promise<string> {
  try {
    const args = JSON.stringify({ id: await archive.keep(bytes), offset: next });
    return `The whole result has ${bytes.length} bytes. Read on with read_result ${args}.`;
  } catch {
    return `The whole result has ${bytes.length} bytes and could not be kept. Ask for a smaller part.`;
  }
}
