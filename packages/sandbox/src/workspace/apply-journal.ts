import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

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

export type Side = z.infer<typeof sideSchema>;
export type Journal = z.infer<typeof journalSchema>;
export type Step = Journal['steps'][number];

const fileName = 'journal.json';

/** Written whole or not at all, and on the disk when this resolves. */
export async function writeJournal(folder: string, journal: Journal): Promise<void> {
  const draft = join(folder, 'journal.draft');
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(journal));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, fileName));
  await syncFolder(folder);
}

/** Undefined if none was written: then nothing has been changed yet. */
export async function readJournal(folder: string): Promise<Journal | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, fileName), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  return journalSchema.parse(JSON.parse(text));
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
