import { readFileSync } from 'node:fs';
import type * as z from 'zod';

/** Undefined where there is no such file, or one that is not of this form: as good as none. */
export function readJson<Value>(path: string, schema: z.ZodType<Value>): Value | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}
