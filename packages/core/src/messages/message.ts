import * as z from 'zod';
import type { JsonValue } from '../json.ts';

const jsonValue = z.custom<JsonValue>((value) => value !== undefined);

/** Fields of a provider that must come back as they were (cache marks, signatures, ids). */
const providerFields = z.record(z.string(), jsonValue).optional();

export const textPartSchema = z.object({
  type: z.literal('text'),
  text: z.string(),
  provider: providerFields,
});

export const imagePartSchema = z.object({
  type: z.literal('image'),
  mediaType: z.string(),
  /** Base64 data, or a URL the provider fetches. */
  source: z.union([z.object({ data: z.string() }), z.object({ url: z.string() })]),
  provider: providerFields,
});

export const reasoningPartSchema = z.object({
  type: z.literal('reasoning'),
  text: z.string(),
  /** The provider's proof that it wrote this, replayed unchanged. */
  signature: z.string().optional(),
  provider: providerFields,
});

export const toolCallPartSchema = z.object({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  /** An object once guarded. Before that, whatever the model sent: often JSON text. */
  args: jsonValue,
  /** The JSON text of the arguments where parsing would lose something (integers past 2^53). */
  argsText: z.string().optional(),
  provider: providerFields,
});

export const toolResultPartSchema = z.object({
  type: z.literal('tool_result'),
  callId: z.string(),
  name: z.string(),
  content: z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema])),
  isError: z.boolean().optional(),
  provider: providerFields,
});

/** A part that only one wire understands: a document, a sealed thought, a provider's own tool. */
export const opaquePartSchema = z.object({
  type: z.literal('opaque'),
  /** The wire it came on; sent to no other. */
  wire: z.string(),
  value: jsonValue,
});

export const systemMessageSchema = z.object({
  role: z.literal('system'),
  content: z.array(textPartSchema),
  provider: providerFields,
});
export const userMessageSchema = z.object({
  role: z.literal('user'),
  content: z.array(
    z.discriminatedUnion('type', [textPartSchema, imagePartSchema, opaquePartSchema]),
  ),
  provider: providerFields,
});
export const assistantMessageSchema = z.object({
  role: z.literal('assistant'),
  content: z.array(
    z.discriminatedUnion('type', [
      textPartSchema,
      reasoningPartSchema,
      toolCallPartSchema,
      opaquePartSchema,
    ]),
  ),
  provider: providerFields,
});
export const toolMessageSchema = z.object({
  role: z.literal('tool'),
  content: z.array(toolResultPartSchema),
  provider: providerFields,
});

/** A message of no particular provider. Content is always a list of parts. */
export const messageSchema = z.discriminatedUnion('role', [
  systemMessageSchema,
  userMessageSchema,
  assistantMessageSchema,
  toolMessageSchema,
]);

export type TextPart = z.infer<typeof textPartSchema>;
export type ImagePart = z.infer<typeof imagePartSchema>;
export type ReasoningPart = z.infer<typeof reasoningPartSchema>;
export type ToolCallPart = z.infer<typeof toolCallPartSchema>;
export type ToolResultPart = z.infer<typeof toolResultPartSchema>;
export type OpaquePart = z.infer<typeof opaquePartSchema>;
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | OpaquePart;
export type SystemMessage = z.infer<typeof systemMessageSchema>;
export type UserMessage = z.infer<typeof userMessageSchema>;
export type AssistantMessage = z.infer<typeof assistantMessageSchema>;
export type ToolMessage = z.infer<typeof toolMessageSchema>;
export type Message = z.infer<typeof messageSchema>;

export function text(value: string): TextPart {
  return { type: 'text', text: value };
}

export function userMessage(value: string): UserMessage {
  return { role: 'user', content: [text(value)] };
}

/** The text parts of a message, joined. */
export function textOf(message: { content: readonly { type: string }[] }): string {
  let joined = '';
  for (const part of message.content) if (isText(part)) joined += part.text;
  return joined;
}

function isText(part: { type: string }): part is TextPart {
  return part.type === 'text';
}
