import { ForgeError } from '@forge/core';
import * as z from 'zod';
import type { NewRule } from './new-schedule.ts';

const when = {
  at: z
    .string()
    .optional()
    .describe('Once, at this time: 2026-11-15T09:00 in the zone, or 2026-11-15T09:00+01:00.'),
  in_seconds: z.number().positive().optional().describe('Once, this many seconds from now.'),
  every_seconds: z.number().positive().optional().describe('Again and again, at this distance.'),
  cron: z
    .string()
    .optional()
    .describe('Again and again, by a cron rule: "0 9 * * 1-5" is 9:00 on weekdays.'),
};

const rest = {
  name: z.string().min(1).max(200).optional().describe('A few words to know it by.'),
  zone: z.string().optional().describe('IANA time zone for at and cron, such as Europe/Berlin.'),
  until: z.string().optional().describe('Not due after this time, written as in at.'),
  max_times: z.int().positive().optional().describe('Ends after it has fired this often.'),
};

export const createInput = z
  .object({
    message: z
      .string()
      .min(1)
      .describe('What you want to be told when it is due, with all you need to know then.'),
    ...when,
    ...rest,
    conversation: z
      .string()
      .optional()
      .describe('"here" (default), "new" for a fresh run each time, or the id of another one.'),
  })
  .refine((input) => countOf(input) === 1, {
    message: 'give exactly one of at, in_seconds, every_seconds and cron',
    path: ['at'],
  });

export const updateInput = z
  .object({
    id: z.string(),
    message: z.string().min(1).optional().describe('What you want to be told instead.'),
    ...when,
    ...rest,
    paused: z.boolean().optional().describe('True: not due until it is false again.'),
  })
  .refine((input) => countOf(input) <= 1, {
    message: 'give at most one of at, in_seconds, every_seconds and cron',
    path: ['at'],
  });

export const idInput = z.object({ id: z.string() });
export const listInput = z.object({});

interface When {
  readonly at?: string | undefined;
  readonly in_seconds?: number | undefined;
  readonly every_seconds?: number | undefined;
  readonly cron?: string | undefined;
}

function countOf({ at, in_seconds, every_seconds, cron }: When): number {
  return [at, in_seconds, every_seconds, cron].filter((value) => value !== undefined).length;
}

/** The one way of saying when that was used. */
export function readRule(tool: string, { at, in_seconds, every_seconds, cron }: When): NewRule {
  if (at !== undefined) return { type: 'once', at };
  if (in_seconds !== undefined) return { type: 'once', after: in_seconds * 1_000 };
  if (every_seconds !== undefined)
    return { type: 'every', every: Math.round(every_seconds * 1_000) };
  if (cron !== undefined) return { type: 'cron', cron };
  throw new ForgeError(
    'invalid_options',
    `${tool} was not told when. Give at, in_seconds, every_seconds or cron, such as {"cron": "0 9 * * *"}.`,
  );
}
