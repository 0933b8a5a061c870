import { open, readFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { JournalKey } from './journal-key.ts';
import { refusalOf, staysInside } from './workspace-path.ts';

/** What is to be at a path: a staged file by its number, a link, or nothing. */
const sideSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('file'), stage: z.string().regex(/^\w+$/) }),
  z.object({ type: z.literal('symlink'), link: z.string() }),
  z.object({ type: z.literal('nothing') }),
]);

const journalSchema = z.object({
  v: z.literal(1),
  /** `forward`: all is staged, the rest follows. `back`: it could not be done, and is undone. */
  direction: z.enum(['forward', 'back']),
  steps: z.array(z.object({ path: z.string(), before: sideSchema, after: sideSchema })),
});

const sealedSchema = z.object({ seal: z.string(), journal: z.string() });

export type Side = z.infer<typeof sideSchema>;
export type Journal = z.infer<typeof journalSchema>;
export type Step = Journal['steps'][number];

const fileName = 'journal.json';

export interface JournalPlace {
  readonly root: string;
  /** The folder in the tree that the journal and what it speaks of lie in. */
  readonly folder: string;
  readonly key: JournalKey;
}

/** Written whole or not at all, and on the disk when this resolves. */
export async function writeJournal(place: JournalPlace, journal: Journal): Promise<void> {
  const { folder } = place;
  const text = JSON.stringify(journal);
  const draft = join(folder, 'journal.draft');
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(
      JSON.stringify({ seal: place.key.seal(...about(place), text), journal: text }),
    );
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, fileName));
  await syncFolder(folder);
}

/**
 * Undefined if none was written: then nothing has been changed yet. `foreign` if it is not one that
 * this user's Forge wrote for this folder, or says what we would not write: it is not to be followed.
 */
export async function readJournal(place: JournalPlace): Promise<Journal | 'foreign' | undefined> {
  let text: string;
  try {
    text = await readFile(join(place.folder, fileName), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const sealed = sealedSchema.safeParse(jsonOf(text)).data;
  if (sealed === undefined || !place.key.isSeal(sealed.seal, ...about(place), sealed.journal)) {
    return 'foreign';
  }
  const journal = journalSchema.safeParse(jsonOf(sealed.journal)).data;
  return journal?.steps.every(isHarmless) ? journal : 'foreign';
}

/** A seal holds for one folder of one tree: elsewhere the same journal means nothing. */
function about({ root, folder }: JournalPlace): readonly [string, string, string] {
  return ['journal', root, basename(folder)];
}

/** What was there before may be a link of the user's own, to anywhere. What comes may not. */
function isHarmless({ path, after }: Step): boolean {
  if (refusalOf(path) !== undefined) return false;
  return after.type !== 'symlink' || staysInside(path, after.link);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
