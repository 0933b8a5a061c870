import { defineTool, type Tool, type ToolContext } from '@forge/core';
import * as z from 'zod';

/** The way out to people: a chat, a mail, a page. */
export interface MessagePort {
  /**
   * Sends a message. A second call with the same key is the same message again, after a crash: a
   * port that can tell sends it once, and says so with `deduplicates`.
   */
  send(message: {
    readonly text: string;
    /** Where to; the port knows the default. */
    readonly channel: string | undefined;
    readonly idempotencyKey: string;
    readonly context: ToolContext;
  }): Promise<void>;
  readonly deduplicates?: boolean;
  /** Channels a model may name. Without them any name goes to the port. */
  readonly channels?: readonly string[];
}

export function sendMessageTool(port: MessagePort): Tool {
  const names = port.channels ?? [];
  const [first, ...rest] = names;
  const channel = first === undefined ? z.string().min(1).max(200) : z.enum([first, ...rest]);
  return defineTool({
    name: 'send_message',
    description: 'Says something to people. What you write elsewhere, they do not see.',
    input: z.object({
      text: z.string().min(1).max(20_000),
      channel: channel.optional().describe('Where to. Default: where the conversation is.'),
    }),
    idempotent: port.deduplicates ?? false,
    run: async ({ text, channel: to }, context) => {
      await port.send({ text, channel: to, idempotencyKey: context.idempotencyKey, context });
      return 'Sent.';
    },
  });
}
