import type { CompiledSchema, JsonObject, JsonValue, ProgramCall } from '@forge/core';
import { callId } from './call-id.ts';
import { issuesOf, readOutput } from './read-output.ts';

/** A call that may begin. */
export interface Start {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
}

/** How far one piece of work is: a node in its round, or one of its items. */
export type Attempt = { readonly attempt: number; readonly callId?: string } & (
  | { readonly status: 'ready'; readonly start: Start }
  | { readonly status: 'running' }
  | { readonly status: 'done'; readonly value: JsonValue }
  | { readonly status: 'failed'; readonly reason: string }
);

interface Work {
  readonly calls: ReadonlyMap<string, ProgramCall>;
  readonly node: string;
  readonly key?: string;
  readonly round: number;
  readonly retries: number;
  readonly input: CompiledSchema;
  readonly output: CompiledSchema;
  /** What it is given, by why it failed the last time. */
  readonly argsFor: (failure: string | undefined) => JsonObject;
  /** Told of each call that was made for it, and what it would be given now. */
  readonly onCall: (call: ProgramCall, args: () => JsonObject) => void;
}

/** Reads off the calls of a piece of work where it stands. */
export function followAttempts({
  calls,
  retries,
  input,
  output,
  argsFor,
  onCall,
  ...name
}: Work): Attempt {
  let failure: string | undefined;
  for (let attempt = 1; attempt <= retries + 1; attempt++) {
    const id = callId({ ...name, attempt });
    const call = calls.get(id);
    if (call === undefined) {
      const args = argsFor(failure);
      if (!input.accepts(args)) {
        const reason = `what it is given does not fit: ${issuesOf(input, args)}`;
        return { status: 'failed', attempt: attempt - 1, reason };
      }
      return { status: 'ready', attempt, start: { id, name: name.node, args } };
    }
    const before = failure;
    onCall(call, () => argsFor(before));
    if (call.status === 'open') return { status: 'running', attempt, callId: id };
    const result = readOutput(call, output);
    if (result.ok) return { status: 'done', attempt, callId: id, value: result.value };
    failure = result.reason;
  }
  const attempt = retries + 1;
  const last = callId({ ...name, attempt });
  return { status: 'failed', attempt, callId: last, reason: failure ?? 'it failed' };
}
