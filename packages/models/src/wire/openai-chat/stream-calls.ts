import type { JsonObject } from '@forge/core';
import { textOfArguments } from '../shared/call-arguments.ts';
import type { StreamEvent } from '../wire.ts';
import { createJsonEnd, type JsonEnd } from './json-end.ts';
import type { WireCall } from './shapes.ts';
import { callProvider } from './tool-call.ts';

interface OpenCall {
  readonly index: number;
  id: string;
  name: string;
  provider: JsonObject | undefined;
  /** Arguments that came before the name. */
  early: string;
  isAnnounced: boolean;
  readonly end: JsonEnd;
}

export interface StreamCalls {
  push(delta: WireCall): StreamEvent[];
  /** Calls that never got a name are still calls: the guardrails say what is wrong with them. */
  end(): StreamEvent[];
  readonly count: number;
}

/**
 * Tells which call a delta belongs to. By the book its `index` says so; in the wild the index is
 * missing, starts at one or is 0 for every call, ids are missing or new in every delta, names are
 * repeated, and arguments come whole, as objects, or before the name.
 */
export function createStreamCalls(newId: () => string): StreamCalls {
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();

  function open(): OpenCall {
    const call: OpenCall = {
      index: calls.length,
      id: '',
      name: '',
      provider: undefined,
      early: '',
      isAnnounced: false,
      end: createJsonEnd(),
    };
    calls.push(call);
    return call;
  }

  function find(delta: WireCall): OpenCall {
    const name = delta.function?.name ?? '';
    const known = delta.id ? byId.get(delta.id) : undefined;
    if (known !== undefined && !startsAnew(known, name)) return known;
    const last = calls.at(-1);
    // A piece without id and name continues a call, and if its index is new, the last one.
    const same = delta.index == null ? last : byIndex.get(delta.index);
    const candidate = same ?? (!delta.id && name === '' ? last : undefined);
    if (candidate === undefined) return open();
    if (name === '') return delta.id && delta.index == null ? open() : candidate;
    const isOther = delta.id ? candidate.id !== '' && candidate.id !== delta.id : false;
    return isOther || startsAnew(candidate, name) ? open() : candidate;
  }

  function announce(call: OpenCall): StreamEvent[] {
    if (call.isAnnounced) return [];
    call.isAnnounced = true;
    call.id ||= newId();
    const { index, id, name, provider, early } = call;
    const events: StreamEvent[] = [
      { type: 'call', index, id, name, ...(provider === undefined ? {} : { provider }) },
    ];
    if (early !== '') events.push({ type: 'args', index, text: early });
    call.early = '';
    return events;
  }

  return {
    push(delta) {
      const call = find(delta);
      if (delta.index != null) byIndex.set(delta.index, call);
      if (!call.isAnnounced) {
        call.id ||= delta.id ?? '';
        call.name ||= delta.function?.name ?? '';
        call.provider ??= callProvider(delta).provider;
        if (call.id !== '') byId.set(call.id, call);
      }
      const events = call.name === '' ? [] : announce(call);
      const text = textOfArguments(delta.function?.arguments ?? '');
      if (text === '') return events;
      call.end.push(text);
      if (call.isAnnounced) events.push({ type: 'args', index: call.index, text });
      else call.early += text;
      return events;
    },
    end: () => calls.flatMap(announce),
    get count() {
      return calls.length;
    },
  };
}

/** A name again is the same call again, unless that call has all its arguments. */
function startsAnew(call: OpenCall, name: string): boolean {
  return name !== '' && call.name !== '' && (call.end.reached || call.name !== name);
}
