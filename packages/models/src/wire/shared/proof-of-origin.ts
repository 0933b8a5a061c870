import type { AssistantPart, Message, ReasoningPart } from '@forge/core';
import type { StreamEvent, Wire } from '../wire.ts';
import { type Holder, ownFields, type Provider } from './provider-fields.ts';
import { makers, openProof, sealProof } from './sealed-proof.ts';

/**
 * A signature is the proof of one provider and is refused by every other. So each signature that
 * is read gets a mark, `provider[WIRE].signed`, and by that mark:
 *
 * - an API is sent only signatures of its own wire; one without a mark counts as its own;
 * - a client of ours is sent others sealed (see `sealProof`), and what it sends back is opened.
 *
 * The codecs below know nothing of marks and seals: both are put on and taken off around them.
 */
const mark = { signed: true } as const;

type SignatureEvent = Extract<StreamEvent, { type: 'signature' }>;

/** Parts that came on this wire, with their makers told. */
export function markProofs(content: readonly AssistantPart[], wire: Wire['name']): AssistantPart[] {
  return content.map((part) => {
    if (part.type !== 'reasoning' || part.signature === undefined) return part;
    const opened = unsealed(part);
    if (opened !== part || makerOf(part) !== undefined) return opened;
    return { ...part, provider: marked(part, wire) };
  });
}

/** Parts as an API of this wire takes them: without the proofs of others. */
export function ownProofs(content: readonly AssistantPart[], wire: Wire['name']): AssistantPart[] {
  return content.map((part) => {
    if (!isSigned(part)) return part;
    const opened = unsealed(part);
    const maker = makerOf(opened);
    if (maker === undefined || maker === wire) return unmarked(opened, wire);
    const { signature: _, ...thought } = opened;
    return thought;
  });
}

/** Parts as a client of this wire is shown them: with the proofs of others sealed. */
export function shownProofs(
  content: readonly AssistantPart[],
  wire: Wire['name'],
): AssistantPart[] {
  return content.map((part) => {
    if (!isSigned(part)) return part;
    const opened = unsealed(part);
    const maker = makerOf(opened);
    if (maker === undefined || maker === wire) return unmarked(opened, wire);
    const { signature } = opened;
    const { signed: _, ...fields } = ownFields(maker, opened);
    return { ...opened, signature: sealProof({ maker, ...(signature && { signature }), fields }) };
  });
}

export function ownHistory(messages: readonly Message[], wire: Wire['name']): readonly Message[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.content.some(isSigned)) return message;
    return { ...message, content: ownProofs(message.content, wire) };
  });
}

export function markHistory(messages: readonly Message[], wire: Wire['name']): readonly Message[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.content.some(isSigned)) return message;
    return { ...message, content: markProofs(message.content, wire) };
  });
}

/** A streamed proof, with its maker told. A sealed one tells it itself. */
export function markStreamed(event: SignatureEvent, wire: Wire['name']): SignatureEvent {
  if (openProof(event.signature) !== undefined) return event;
  return { ...event, provider: marked(event, wire) };
}

/** A streamed proof as a client of this wire is shown it. */
export function showStreamed(event: SignatureEvent, wire: Wire['name']): SignatureEvent {
  const maker = makerOf(event);
  if (maker === undefined || maker === wire || openProof(event.signature)) return event;
  const { signed: _, ...fields } = ownFields(maker, event);
  return { ...event, signature: sealProof({ maker, signature: event.signature, fields }) };
}

/** The part with its seal broken: the proof, and the fields its maker had kept. */
export function unsealed(part: ReasoningPart): ReasoningPart {
  const proof = openProof(part.signature);
  if (proof === undefined) return part;
  const { signature: _, ...thought } = part;
  const { maker, signature, fields } = proof;
  return {
    ...thought,
    ...(signature !== undefined && { signature }),
    provider: { ...part.provider, [maker]: { ...fields, ...mark } },
  };
}

function isSigned(part: { readonly type: string }): part is ReasoningPart {
  return part.type === 'reasoning' && ('signature' in part || 'provider' in part);
}

function makerOf(holder: Holder): Wire['name'] | undefined {
  return makers.find((name) => ownFields(name, holder).signed === true);
}

function marked(holder: Holder, wire: Wire['name']): Provider {
  return { ...holder.provider, [wire]: { ...ownFields(wire, holder), ...mark } };
}

function unmarked(part: ReasoningPart, wire: Wire['name']): ReasoningPart {
  if (ownFields(wire, part).signed === undefined) return part;
  const { provider, ...thought } = part;
  const { [wire]: _, ...others } = provider ?? {};
  const { signed: __, ...own } = ownFields(wire, part);
  const kept = { ...others, ...(Object.keys(own).length > 0 && { [wire]: own }) };
  return Object.keys(kept).length > 0 ? { ...thought, provider: kept } : thought;
}
