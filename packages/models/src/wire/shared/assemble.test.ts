import { type AssistantPart, isJsonObject, type JsonObject, type JsonValue } from '@forge/core';
import type { StreamEvent } from '../wire.ts';

type Draft = { part: AssistantPart; isClosed: boolean };

/** The parts a stream adds up to, by the letter of `StreamEvent`. Arguments stay text. */
export function assemble(events: readonly StreamEvent[]): AssistantPart[] {
  const drafts: Draft[] = [];
  const calls = new Map<number, Draft>();
  const add = (part: AssistantPart): Draft => {
    const draft = { part, isClosed: false };
    drafts.push(draft);
    return draft;
  };
  for (const event of events) {
    const last = drafts.at(-1);
    const open = last?.isClosed === false ? last : undefined;
    switch (event.type) {
      case 'text': {
        const { text, provider } = event;
        if (text === '' && provider !== undefined) {
          if (last?.part.type !== 'text') break;
          last.part = { ...last.part, ...withFields(last.part.provider, provider) };
          last.isClosed = true;
        } else if (provider === undefined && open?.part.type === 'text') {
          open.part = { ...open.part, text: open.part.text + text };
        } else add({ type: 'text', text, ...withFields(undefined, provider) });
        break;
      }
      case 'reasoning':
        if (open?.part.type === 'reasoning') {
          open.part = { ...open.part, text: open.part.text + event.text };
        } else add({ type: 'reasoning', text: event.text });
        break;
      case 'signature': {
        const { signature, provider } = event;
        const isOpen = open?.part.type === 'reasoning';
        const draft = isOpen ? open : add({ type: 'reasoning', text: '' });
        const text = draft.part.type === 'reasoning' ? draft.part.text : '';
        draft.part = { type: 'reasoning', text, signature, ...withFields(undefined, provider) };
        draft.isClosed = true;
        break;
      }
      case 'call': {
        const { id, name, provider } = event;
        const call = { type: 'tool_call' as const, id, name, args: '' };
        calls.set(event.index, add({ ...call, ...withFields(undefined, provider) }));
        break;
      }
      case 'args': {
        const draft = calls.get(event.index);
        if (draft?.part.type !== 'tool_call') break;
        draft.part = { ...draft.part, args: `${draft.part.args}${event.text}` };
        break;
      }
      case 'opaque':
        add({ type: 'opaque', wire: event.wire ?? '', value: event.value });
        break;
      case 'start':
      case 'finish':
      case 'error':
        break;
      default:
        event satisfies never;
    }
  }
  return drafts.map(({ part }) => part);
}

/** Fields of one wire add up; nothing at all is no `provider`. */
function withFields(
  before: JsonObject | undefined,
  more: JsonObject | undefined,
): { provider?: Record<string, JsonValue> } {
  const provider: Record<string, JsonValue> = { ...before };
  for (const [name, fields] of Object.entries(more ?? {})) {
    const own = provider[name];
    provider[name] = isJsonObject(own) && isJsonObject(fields) ? { ...own, ...fields } : fields;
  }
  return Object.keys(provider).length === 0 ? {} : { provider };
}
