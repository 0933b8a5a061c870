import { type Message, nudgeTags } from '@forge/core';

/** The words the kernel's nudges begin with. A tool's own failure is not among them. */
const nudge = new RegExp(`^\\[(${[...Object.values(nudgeTags), 'NotRun'].join('|')})\\]`);

/** How many replies in a row the guardrails refused, up to the end of this conversation. */
export function countRefusals(messages: readonly Message[]): number {
  let refusals = 0;
  let nudged = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) break;
    if (message.role !== 'assistant') {
      nudged ||= isNudge(message);
    } else if (nudged) {
      refusals += 1;
      nudged = false;
    } else {
      break;
    }
  }
  return refusals;
}

function isNudge(message: Message): boolean {
  switch (message.role) {
    case 'tool':
      return message.content.some((result) => result.isError === true && begins(result.content));
    case 'user':
      return begins(message.content);
    case 'system':
    case 'assistant':
      return false;
    default:
      return message satisfies never;
  }
}

function begins(parts: readonly { readonly type: string; readonly text?: string }[]): boolean {
  return nudge.test(parts[0]?.text ?? '');
}
