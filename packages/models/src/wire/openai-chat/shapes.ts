import * as z from 'zod';
import { placesOf } from '../shared/read-body.ts';
import { jsonValue, label, numeric } from '../shared/schema-atoms.ts';

export const functionShape = z.looseObject({
  name: z.string().nullish(),
  arguments: jsonValue.nullish(),
});

export const callShape = z.looseObject({
  index: numeric.nullish(),
  id: label.nullish(),
  type: z.string().nullish(),
  function: functionShape.nullish(),
});

/** What a model said: a message of history, of a reply, or one delta of a stream. */
export const saidShape = z.looseObject({
  role: z.string().nullish(),
  content: z.union([z.string(), z.array(jsonValue)]).nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_text: z.string().nullish(),
  tool_calls: z.array(callShape).nullish(),
  function_call: functionShape.nullish(),
});

export type WireCall = z.infer<typeof callShape>;
export type WireFunction = z.infer<typeof functionShape>;
export type Said = z.infer<typeof saidShape>;

export const { requestPlace, replyPlace } = placesOf('chat completions');
