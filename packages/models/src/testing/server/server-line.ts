import type { ModelReply } from '@forge/core';
import { says } from '@forge/core/testing';
import { ModelError } from '../../wire/model-error.ts';
import type { WireReply, WireRequest } from '../../wire/wire.ts';
import type { WireError } from '../../wire/wire-error.ts';
import type { Fault, Wait } from './fault.ts';

/** Text, a reply (with or without what only a wire knows), or a failure to answer with. */
export type Said = string | ModelReply | WireReply | Error;

export type SpokenLine = Said | ((request: WireRequest) => Said | Promise<Said>);

/** A line with what happens on the way to the client. */
export interface StagedLine {
  readonly say?: SpokenLine;
  /** Before the head. */
  readonly delay?: Wait;
  /** Before every chunk of a stream but the first. */
  readonly chunkDelay?: Wait;
  readonly fault?: Fault;
}

/** What the server answers to one request. Lines of core's `ScriptedModel` are such lines. */
export type ServerLine = SpokenLine | StagedLine;

/** The lines in order, or a function of the request. */
export type Script =
  | readonly ServerLine[]
  | ((request: WireRequest) => ServerLine | Promise<ServerLine>);

export type Answer =
  | { readonly type: 'reply'; readonly reply: WireReply }
  | { readonly type: 'error'; readonly error: WireError };

export async function lineOf(
  script: Script,
  turn: number,
  request: WireRequest,
): Promise<StagedLine> {
  const line =
    typeof script === 'function'
      ? await ask(script, request)
      : (script[turn] ?? spent(script.length));
  return isStaged(line) ? line : { say: line };
}

/** A script that throws (an assertion, say) answers with what it threw. */
async function ask(
  script: Extract<Script, (request: WireRequest) => unknown>,
  request: WireRequest,
): Promise<ServerLine> {
  try {
    return await script(request);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What a line says to this request. A function that throws is a failure to answer with. */
export async function answerOf(
  { say = '' }: StagedLine,
  request: WireRequest,
  turn: number,
): Promise<Answer> {
  try {
    const said = typeof say === 'function' ? await say(request) : say;
    if (said instanceof Error) throw said;
    const reply = typeof said === 'string' ? says(said) : said;
    const whole = { id: `scripted-${turn + 1}`, model: request.model, extra: {}, ...reply };
    return { type: 'reply', reply: whole };
  } catch (error) {
    return { type: 'error', error: toWireError(error) };
  }
}

/** A failure in the words of a wire; one that is not a `ModelError` is the server's own. */
export function toWireError(error: unknown): WireError {
  if (error instanceof ModelError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return { kind: 'unavailable', message };
}

/** Of a kind that nobody tries again, so that a test fails at once and says why. */
function spent(lines: number): Error {
  const message = `The script has ${lines} lines and was asked for one more.`;
  return new ModelError({ kind: 'bad_request', message });
}

function isStaged(line: ServerLine): line is StagedLine {
  return (
    typeof line === 'object' && !(line instanceof Error) && !('content' in line) // A reply always has content.
  );
}
