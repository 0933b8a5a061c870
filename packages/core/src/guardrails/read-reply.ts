import type { AssistantPart, ToolCallPart } from '../messages/message.ts';
import type { ModelReply } from '../models.ts';
import { type RescuedCall, rescueToolCalls } from '../rescue/rescue-tool-calls.ts';
import type { Guard } from './create-guard.ts';

/** A call the model asked for, before anything about it was checked. */
export interface ProposedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text or a value. */
  readonly args: unknown;
  readonly mended: readonly string[];
  readonly part?: ToolCallPart;
  readonly argsText?: string;
}

export interface ReadReply {
  readonly calls: readonly ProposedCall[];
  readonly text: string;
  /** The reply without its calls: reasoning and text, in order. */
  readonly rest: readonly AssistantPart[];
  readonly source: 'native' | 'rescued' | 'text';
  readonly format?: string;
  /** Looked like a call and was not usable. */
  readonly rejected: readonly { readonly name: string; readonly reason: string }[];
  /** The tool of a call that the reply was cut off in. */
  readonly cutCall?: string;
}

const noneRejected: ReadReply['rejected'] = [];

/** Step one of the chain: native calls as they are, or calls rescued from the text. */
export function readReply(
  guard: Guard,
  reply: ModelReply,
  idPrefix: string,
  takenIds?: Iterable<string>,
): ReadReply {
  const calls: ProposedCall[] = [];
  const rest: AssistantPart[] = [];
  const idFor = idGiver(idPrefix, takenIds);
  let text = '';
  for (const part of reply.content) {
    if (part.type === 'tool_call') calls.push(proposeNative(part, idFor(part.id)));
    else rest.push(part);
    if (part.type === 'text') text += part.text;
  }
  if (calls.length > 0 || !mayRescue(guard) || text === '') {
    const source = calls.length > 0 ? 'native' : 'text';
    return { calls, text, rest, source, rejected: noneRejected };
  }
  const rescued = rescueToolCalls(text, guard.specs);
  if (rescued.content === text.trim() && rescued.rejected.length === 0) {
    return { calls, text, rest, source: 'text', rejected: noneRejected };
  }
  return {
    calls: rescued.calls.map((call) => proposeRescued(call, idFor(call.id ?? ''))),
    text: rescued.content,
    rest: separate(rest, rescued.reasoning, rescued.content, text),
    source: rescued.calls.length > 0 ? 'rescued' : 'text',
    format: rescued.calls[0]?.format,
    rejected: rescued.rejected,
    cutCall: rescued.partial?.name,
  };
}

/** Whether calls are looked for in text. */
export function mayRescue(guard: Guard): boolean {
  return guard.switches.rescue && guard.specs.length > 0 && guard.toolChoice !== 'none';
}

/** Keeps the ids that came, unless there was none or it is taken: the same twice in one reply. */
function idGiver(prefix: string, takenIds: Iterable<string> = []): (given: string) => string {
  const taken = new Set<string>(takenIds);
  let position = 0;
  let made = 0;
  return (given) => {
    made = Math.max(made, position++);
    let id = given;
    while (id === '' || taken.has(id)) id = `${prefix}_${++made}`;
    taken.add(id);
    return id;
  };
}

function proposeNative(part: ToolCallPart, id: string): ProposedCall {
  return {
    id,
    name: part.name,
    args: part.args,
    argsText: part.argsText,
    mended: [],
    part,
  };
}

function proposeRescued(call: RescuedCall, id: string): ProposedCall {
  return {
    id,
    name: call.name,
    args: call.args,
    argsText: call.argsText,
    mended: [`found as text (${call.format})`, ...call.repairs],
  };
}

/** Reasoning that stood in the text becomes reasoning; what remains stays text. */
function separate(
  rest: readonly AssistantPart[],
  reasoning: string,
  content: string,
  original: string,
): readonly AssistantPart[] {
  if (reasoning === '' && content === original) return rest;
  const kept: AssistantPart[] = rest.filter((part) => part.type !== 'text');
  if (reasoning !== '') kept.push({ type: 'reasoning', text: reasoning });
  if (content !== '') kept.push({ type: 'text', text: content });
  return kept;
}
