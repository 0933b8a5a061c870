import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import * as z from 'zod';

/** A file of lines beside the store: what was really done, whatever the log says. */
export interface Ledger<Line> {
  /** On disk when it returns. */
  write(line: Line): void;
}

/** Short lines at the end of one file do not mix, however many processes write them. */
export function openLedger<Line>(file: string): Ledger<Line> {
  const handle = openSync(file, 'a');
  return {
    write(line) {
      writeSync(handle, `${JSON.stringify(line)}\n`);
      fsyncSync(handle);
    },
  };
}

export function readLedger<Line>(file: string, schema: z.ZodType<Line>): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => schema.parse(JSON.parse(line)));
}

export function emptyLedger(file: string): void {
  closeSync(openSync(file, 'w'));
}

/** One execution of a tool. */
export const executionSchema = z.object({
  key: z.string(),
  tool: z.string(),
  run: z.string(),
  pid: z.number(),
});
export type Execution = z.infer<typeof executionSchema>;

/** A step that the store acknowledged to a worker. */
export const ackSchema = z.object({
  run: z.string(),
  /** Number of its first event. */
  from: z.number(),
  types: z.array(z.string()),
  pid: z.number(),
  at: z.number(),
});
export type Ack = z.infer<typeof ackSchema>;
