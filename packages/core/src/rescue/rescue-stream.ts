import { lineStart, skipSpace } from './chars.ts';
import { thoughtEndAt } from './find-thought-end.ts';
import { look, maySplit } from './gate-look.ts';
import type { Look } from './look.ts';
import { isHalfTag } from './markers.ts';
import { bracketMatcher, closerMatcher, type Matcher } from './matcher.ts';
import { rescueToolCalls } from './rescue-tool-calls.ts';
import type { RescueResult, RescueTool } from './rescue-types.ts';
import { type ToolIndex, toolIndex } from './tool-index.ts';
import { TrimmedWriter } from './trimmed-writer.ts';
import { walk } from './walk.ts';

export interface RescueDelta {
  readonly content: string;
  readonly reasoning: string;
  /** How many characters at the end of what came so far are held back. */
  readonly held: number;
}

export interface RescueStream {
  /** Takes the next piece of the reply and gives what of it can no longer be part of a call. */
  push(chunk: string): RescueDelta;
  /** The result for the whole reply: exactly what `rescueToolCalls` gives. */
  end(): RescueResult;
}

/**
 * Rescues calls from a reply while it is being written. Ordinary text comes out as soon as it
 * cannot become part of a call, of reasoning, or of a marker; from the first position that can,
 * text is held back until that is disproved. After a call nothing comes out, since what follows a
 * call is not content.
 *
 * What came out as content is the start of the final `content`, and likewise for `reasoning`, with
 * one exception: a `</think>` that nothing opened makes reasoning of all text before it, which by
 * then has come out as content. The final result is right in that case too.
 */
export function createRescueStream(tools: readonly RescueTool[]): RescueStream {
  const gate = new Gate(toolIndex(tools));
  const chunks: string[] = [];
  return {
    push(chunk) {
      chunks.push(chunk);
      return gate.push(chunk);
    },
    end: () => rescueToolCalls(chunks.join(''), tools),
  };
}

type Mode =
  | { readonly kind: 'content' | 'held' }
  | { readonly kind: 'thought'; readonly closers: readonly string[] | undefined }
  | { readonly kind: 'matching'; readonly from: number; readonly matcher: Matcher };

/** Decided text that is kept because a line may have to be looked back on. */
const CONTEXT = 256;

const LONGEST_WAIT = 2000;

/**
 * Tells, as text comes, what of it is content and what is reasoning. Keeps only the text it has
 * not decided on and a little before it, so that each push costs what it brings.
 */
class Gate {
  readonly #index: ToolIndex;
  #text = '';
  /** Everything before it has been decided. */
  #pos = 0;
  /** What came in all, and what of it was decided and let go of. */
  #came = 0;
  #dropped = 0;
  #mode: Mode = { kind: 'content' };
  /** What has come since matching began. */
  #pending: string[] = [];
  /** Where the first character that is not white space stands, while it is still kept. */
  #inkStart = -1;
  #hasInk = false;
  #inFence = false;
  /** A block of Python came: whether a marker in it is one, only the whole block can tell. */
  #hasCode = false;
  #reasoned = false;
  readonly #content = new TrimmedWriter();
  readonly #reasoning = new TrimmedWriter();

  constructor(index: ToolIndex) {
    this.#index = index;
  }

  push(chunk: string): RescueDelta {
    const out = { content: '', reasoning: '' };
    this.#came += chunk.length;
    if (this.#mode.kind !== 'held') this.#take(chunk, out);
    return { ...out, held: this.#came - this.#dropped - this.#pos };
  }

  #take(chunk: string, out: { content: string; reasoning: string }): void {
    if (this.#mode.kind === 'matching') {
      if (!this.#match(this.#mode.matcher, chunk, out)) return;
    } else this.#text += chunk;
    if (!this.#hasInk) {
      const ink = skipSpace(this.#text, 0);
      this.#hasInk = ink < this.#text.length;
      if (this.#hasInk) this.#inkStart = ink;
    }
    while (this.#pos < this.#text.length && this.#step(out));
    if (this.#pos > 4 * CONTEXT) {
      this.#dropped += this.#pos - CONTEXT;
      this.#text = this.#text.slice(this.#pos - CONTEXT);
      this.#pos = CONTEXT;
      this.#inkStart = -1;
    }
  }

  /** Decides a little more of the text. False when there is nothing to decide yet. */
  #step(out: { content: string; reasoning: string }): boolean {
    const mode = this.#mode;
    switch (mode.kind) {
      case 'held':
        return false;
      case 'content':
        return this.#stepContent(out);
      case 'thought':
        return this.#stepThought(out, mode.closers);
      case 'matching': {
        const rest = this.#text.slice(mode.from);
        this.#text = this.#text.slice(0, mode.from);
        return this.#match(mode.matcher, rest, out);
      }
      default:
        return mode satisfies never;
    }
  }

  #stepContent(out: { content: string }): boolean {
    const text = this.#text;
    let i = this.#pos;
    while (i < text.length && !maySplit(text, i, text.charCodeAt(i))) i++;
    if (i > this.#pos) {
      out.content += this.#emit(i);
      return true;
    }
    const seen = look(text, i, {
      index: this.#index,
      inkStart: this.#inkStart,
      inFence: this.#inFence,
      reasoned: this.#reasoned,
    });
    return this.#apply(seen, out);
  }

  #apply(seen: Look, out: { content: string }): boolean {
    switch (seen.kind) {
      case 'wait':
        // Nothing takes this long to tell: give up on it rather than look again and again.
        if (this.#text.length - this.#pos > LONGEST_WAIT) this.#mode = { kind: 'held' };
        return false;
      case 'hold':
        this.#mode = { kind: 'held' };
        return false;
      case 'plain':
        if (this.#text.startsWith('```', this.#pos)) {
          this.#inFence = !this.#inFence;
          this.#hasCode ||= /^```(?:python|py|tool_code)/i.test(
            this.#text.slice(this.#pos, seen.end),
          );
        }
        out.content += this.#emit(seen.end);
        return true;
      case 'drop':
        if (thoughtEndAt(this.#text, this.#pos) !== undefined) this.#reasoned = true;
        else if (this.#hasCode) {
          this.#mode = { kind: 'held' };
          return false;
        }
        this.#pos = seen.end;
        if (this.#text.charAt(seen.end - 1) !== '[') this.#content.endPiece();
        return true;
      case 'thought':
        this.#pos = seen.end;
        this.#content.endPiece();
        this.#mode = { kind: 'thought', closers: seen.closers };
        return true;
      case 'brackets':
        this.#mode = { kind: 'matching', from: seen.from, matcher: bracketMatcher() };
        return true;
      case 'fence':
        this.#mode = { kind: 'matching', from: seen.from, matcher: closerMatcher('```', 3) };
        return true;
      case 'tag':
        this.#mode = { kind: 'matching', from: seen.from, matcher: closerMatcher(seen.closer, 0) };
        return true;
      default:
        return seen satisfies never;
    }
  }

  /** More of what may hold a call. True once it has closed and turned out to be plain text. */
  #match(matcher: Matcher, piece: string, out: { content: string }): boolean {
    this.#pending.push(piece);
    const length = matcher.feed(piece);
    if (length === undefined) return false;
    const from = this.#text.length;
    this.#text += this.#pending.join('');
    this.#pending = [];
    const end = this.#text.length - piece.length + length;
    if (this.#findsCall(from, end)) {
      this.#mode = { kind: 'held' };
      return false;
    }
    this.#mode = { kind: 'content' };
    out.content += this.#emit(end);
    return true;
  }

  #emit(end: number): string {
    const piece = this.#text.slice(this.#pos, end);
    this.#pos = end;
    return this.#content.write(piece);
  }

  /** Whether what closed just now holds anything that is not plain text. */
  #findsCall(from: number, end: number): boolean {
    const line = lineStart(this.#text, from, 200) ?? from;
    // On a line of its own, it may belong to the line above.
    const above = line > 0 && skipSpace(this.#text, line) === from;
    const start = above ? (lineStart(this.#text, line - 1, 200) ?? line) : line;
    const scan = walk(this.#text.slice(start, end), this.#index);
    if (scan.mentioned || scan.removals.length > 0) return true;
    return scan.found.length > 0 || scan.rejected.length > 0;
  }

  #stepThought(out: { reasoning: string }, closers: readonly string[] | undefined): boolean {
    const text = this.#text;
    let i = this.#pos;
    while (i < text.length && !'<[◁'.includes(text.charAt(i))) i++;
    if (i > this.#pos) {
      out.reasoning += this.#reasoning.write(text.slice(this.#pos, i));
      this.#pos = i;
      return true;
    }
    const end = closers === undefined ? thoughtEndAt(text, i) : closerAt(text, i, closers);
    if (end !== undefined) {
      this.#pos = closers === undefined || closers.length === 1 ? end : i;
      this.#reasoned = true;
      this.#reasoning.endPiece();
      this.#mode = { kind: 'content' };
      return true;
    }
    if (mayCloseThought(text, i)) return false;
    out.reasoning += this.#reasoning.write(text.charAt(i));
    this.#pos = i + 1;
    return true;
  }
}

function closerAt(text: string, at: number, closers: readonly string[]): number | undefined {
  const closer = closers.find((mark) => text.startsWith(mark, at));
  return closer === undefined ? undefined : at + closer.length;
}

/** A marker that ends with the text so far and could still end reasoning. */
function mayCloseThought(text: string, at: number): boolean {
  const rest = text.slice(at, at + 40);
  if (rest.length >= 40) return false;
  if (rest.startsWith('<')) return isHalfTag(text, at);
  if (rest.startsWith('['))
    return '[BEGIN FINAL RESPONSE]'.startsWith(rest) || '[/THINK]'.startsWith(rest);
  return '◁/think▷'.startsWith(rest);
}
