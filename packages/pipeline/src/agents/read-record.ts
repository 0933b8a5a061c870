import type * as z from 'zod';

/**
 * What a tool noted about its work in the last text of a result. Texts before it may hold anything,
 * words of a model or of a program; this one the tool alone has written.
 */
export function readRecord<S extends z.ZodType>(
  schema: S,
  texts: readonly string[],
): z.infer<S> | undefined {
  const last = texts.at(-1);
  if (texts.length < 2 || last === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(last)).data;
  } catch {
    return undefined;
  }
}
