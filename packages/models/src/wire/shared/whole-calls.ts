import type { ToolCallPart } from '@forge/core';
import type { StreamEvent } from '../wire.ts';

type CallEvent = Extract<StreamEvent, { type: 'call' }>;
type ArgsEvent = Extract<StreamEvent, { type: 'args' }>;

/** Streamed calls for a wire that sends a call whole: they wait until something else comes. */
export interface WholeCalls {
  push(event: CallEvent | ArgsEvent): void;
  /** The calls that wait, each with its number, in their order. None waits any more. */
  take(): { readonly call: ToolCallPart; readonly index: number }[];
  /** A call that was cut off must not look like one without arguments. */
  drop(): void;
}

export function createWholeCalls(): WholeCalls {
  const waiting = new Map<number, { readonly event: CallEvent; args: string }>();
  return {
    push(event) {
      if (event.type === 'call') {
        waiting.set(event.index, { event, args: '' });
        return;
      }
      const call = waiting.get(event.index);
      if (call !== undefined) call.args += event.text;
    },
    take() {
      const calls = Array.from(waiting.values(), ({ event, args }) => {
        const { index, id, name, provider } = event;
        const fields = provider === undefined ? {} : { provider: { ...provider } };
        return { index, call: { type: 'tool_call' as const, id, name, args, ...fields } };
      });
      waiting.clear();
      return calls;
    },
    drop: () => waiting.clear(),
  };
}
