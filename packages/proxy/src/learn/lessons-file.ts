import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { type Lesson, lessonSchema } from './lesson.ts';

const fileSchema = z.object({ v: z.literal(1), models: z.record(z.string(), lessonSchema) });
/** Far more than 200 lessons come to. */
const mostBytes = 16 * 1024 * 1024;

export interface ReadLessons {
  readonly lessons: ReadonlyMap<string, Lesson>;
  /** For a person: what was wrong with the file, and where it is now. */
  readonly notice?: string;
}

/** No file is no lessons. One that cannot be read is set aside, so that nothing writes over it. */
export async function readLessons(path: string): Promise<ReadLessons> {
  const text = await readIfThere(path);
  if (text === undefined) return { lessons: new Map() };
  const file = fileSchema.safeParse(parseJson(text));
  if (file.success) return { lessons: new Map(Object.entries(file.data.models)) };
  const aside = `${path}.broken`;
  await rename(path, aside);
  const notice = `The lessons in ${path} could not be read and are now in ${aside}. Learning starts anew.`;
  return { lessons: new Map(), notice };
}

/** The file is the old one or the new one, whenever this stops. Nobody else may read it. */
export async function writeLessons(
  path: string,
  lessons: ReadonlyMap<string, Lesson>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.new`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      const models = Object.fromEntries(lessons);
      await file.writeFile(`${JSON.stringify({ v: 1, models })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(path);
    return bytes.length > mostBytes ? '' : bytes.toString('utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Not JSON: the schema says no to it.
  }
}
