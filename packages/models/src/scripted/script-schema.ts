import type { JsonValue } from '@forge/core';
import * as z from 'zod';
import { isPattern } from './match-pattern.ts';

/** Words a text has to hold, or `/a pattern/` it has to match. */
const pattern = z
  .string()
  .min(1)
  .max(2_000)
  .refine(isPattern, { message: 'this is no regular expression' });
/** What YAML and JSON can say. */
const jsonValue = z.custom<JsonValue>((value) => value !== undefined);
const path = z.string().min(1).max(500);

const mostScenes = 200;
const mostReplies = 500;
/** An hour: longer is a mistake of units. */
const longestDelay = 3_600_000;

const whenSchema = z.strictObject({
  /** About the instructions. */
  system: pattern.optional(),
  /** About the first thing the user said. */
  input: pattern.optional(),
  notInput: pattern.optional(),
  /** Where the input is JSON: what is at these paths. `null`: nothing, or an empty list. */
  fields: z.record(path, pattern.nullable()).optional(),
  /** By tool: what its last result is like. */
  results: z.record(z.string().min(1).max(200), pattern).optional(),
  /** Tools that have to be offered. */
  tools: z.array(z.string().min(1)).max(100).optional(),
});

const replySchema = z
  .strictObject({
    text: z.string().max(1_000_000).optional(),
    calls: z
      .array(
        z.strictObject({
          name: z.string().min(1).max(200),
          args: z.record(z.string(), jsonValue).default({}),
        }),
      )
      .max(100)
      .optional(),
    /** Tokens, instead of an estimate from the length of what was said. */
    usage: z.strictObject({ inputTokens: z.int().min(0), outputTokens: z.int().min(0) }).optional(),
    delayMs: z.int().min(0).max(longestDelay).optional(),
  })
  .refine(({ text, calls }) => text !== undefined || (calls?.length ?? 0) > 0, {
    message: 'a reply has text, calls, or both',
  });

/** All that a scripted model says. The first scene that fits the request is played. */
export const scriptSchema = z.strictObject({
  contextTokens: z.int().min(1).default(200_000),
  /** Before each reply that has no `delayMs` of its own. */
  delayMs: z.int().min(0).max(longestDelay).default(0),
  scenes: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(200).optional(),
        when: whenSchema.default({}),
        replies: z.array(replySchema).min(1).max(mostReplies),
      }),
    )
    .min(1)
    .max(mostScenes),
});

export type Script = z.infer<typeof scriptSchema>;
/** A script as it is written, without what has a default. */
export type ScriptInput = z.input<typeof scriptSchema>;
export type Scene = Script['scenes'][number];
export type When = z.infer<typeof whenSchema>;
export type ScriptedReply = Scene['replies'][number];
