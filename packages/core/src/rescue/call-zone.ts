import { isJsonObject, type JsonValue } from '../json.ts';
import { acceptCandidates } from './accept-candidates.ts';
import { lineStart, skipSpace } from './chars.ts';
import { type Arguments, argumentsFrom, type RawCall, singleInput } from './finish-call.ts';
import type { Interval } from './intervals.ts';
import { isName, nameIn } from './name-in.ts';
import { recogniseCalls } from './recognise-calls.ts';
import type { Form, Scan } from './scan.ts';
import type { ResolvedName } from './tool-index.ts';
import { type RawParameter, typedArguments } from './xml-value.ts';

/**
 * What lies between the markers of a call: a name, perhaps an id, and arguments as JSON, as tags,
 * or as plain text, in whatever order the format has them. Collects the parts and hands a call to
 * the scan when the next marker, or the end of the text, completes it.
 */
export class CallZone {
  readonly start: number;
  /** The first marker's name, without case and separators: its closing tag ends the zone. */
  readonly opener: string;
  readonly strong: boolean;
  readonly form: Form;
  format: string;
  /** Behind the last marker: plain text from here on is a name, an id or an argument. */
  textFrom: number;
  /** Behind the last thing that belonged to the zone. */
  end: number;
  /** Calls and rejections that came of it. */
  outcomes = 0;
  resolved: ResolvedName | undefined;
  written = '';
  id: string | undefined;
  /** The name of the argument whose value comes next (`<arg_key>`). */
  key: string | undefined;
  inArguments = false;
  /** An opening marker was read and nothing since. */
  opened = true;
  /** The next plain text is an id, not a name. */
  expectsId = false;
  readonly #scan: Scan;
  #parameters: RawParameter[] = [];
  #args: Arguments | undefined;
  #words = '';
  readonly #markers: Interval[] = [];

  constructor(
    scan: Scan,
    {
      start,
      opener,
      strong,
      form,
      format,
      textFrom,
    }: Pick<CallZone, 'start' | 'opener' | 'strong' | 'form' | 'format' | 'textFrom'>,
  ) {
    this.#scan = scan;
    this.start = start;
    this.opener = opener;
    this.strong = strong;
    this.form = form;
    this.format = format;
    this.textFrom = textFrom;
    this.end = textFrom;
  }

  get hasName(): boolean {
    return this.resolved !== undefined || this.written !== '';
  }

  get hasArguments(): boolean {
    return this.#args !== undefined || this.#parameters.length > 0;
  }

  /** Plain text was read that is no name: perhaps the one argument. */
  get hasWords(): boolean {
    return this.#words !== '';
  }

  get pending(): boolean {
    return this.hasName || this.hasArguments;
  }

  setName(written: string): void {
    const name = written.trim();
    if (name === '') return;
    this.resolved = this.#scan.index.resolve(name);
    this.written = name;
  }

  /** Attributes of the tag that named the tool, where they are its parameters. */
  addAttributes(attributes: ReadonlyMap<string, string> | undefined): void {
    const tool = this.resolved?.tool;
    if (attributes === undefined || tool === undefined) return;
    for (const [key, raw] of attributes) {
      if (tool.has(key) && raw !== tool.name) this.addParameter({ key, raw });
    }
  }

  addParameter(parameter: RawParameter): void {
    this.#parameters.push(parameter);
  }

  hasParameter(key: string): boolean {
    return this.#parameters.some((parameter) => parameter.key === key);
  }

  /** The one input of a tool, as plain text. */
  takeInput(words: string): void {
    this.#words = words;
  }

  /** Plain text up to `at`: the name, unless that is known or the text is not one. */
  takeText(at: number): void {
    const { text, index } = this.#scan;
    const from = this.textFrom;
    this.textFrom = at;
    if (at <= from || at - from > 2000) return;
    const words = text.slice(from, at).trim();
    if (words === '') return;
    if (this.expectsId) {
      this.id = words;
      this.expectsId = false;
      return;
    }
    if (this.resolved === undefined) {
      const name = nameIn(words, (candidate) => index.resolve(candidate));
      if (name !== undefined) {
        this.setName(name);
        if (/:\d+$/.test(words)) this.id = words;
        return;
      }
    }
    this.#words = this.#words === '' ? words : `${this.#words}\n${words}`;
  }

  /** The plain text that was no name becomes the call's id (it stood before a name marker). */
  textIsId(): void {
    if (this.#words !== '') this.id = this.#words;
    this.#words = '';
  }

  /** A parsed value inside the zone: arguments for the name before it, or whole calls. */
  takeValue(value: JsonValue | undefined, start: number): void {
    const scan = this.#scan;
    const { parser } = scan;
    this.end = parser.pos;
    this.textFrom = parser.pos;
    if (parser.placeholder && (this.hasName || isJsonObject(value))) {
      const [candidate] = recogniseCalls(value, scan.index, true);
      const name = this.resolved?.tool.name ?? candidate?.resolved?.tool.name ?? this.written;
      this.#fail(name, 'placeholder argument');
      return;
    }
    if (this.resolved !== undefined && !this.hasArguments && this.#isArguments(value)) {
      this.#takeArguments(value, start);
      return;
    }
    this.#takeCalls(value, start);
  }

  /** After a name, an object is its arguments, unless it names the same tool once more. */
  #isArguments(value: JsonValue | undefined): boolean {
    const { resolved } = this;
    if (resolved === undefined) return false;
    if (!isJsonObject(value)) return typeof value === 'string' || Array.isArray(value);
    if (Object.keys(value).some((key) => resolved.tool.has(key))) return true;
    const [again] = recogniseCalls(value, this.#scan.index, false);
    return again === undefined;
  }

  #takeArguments(value: JsonValue | undefined, start: number): void {
    const scan = this.#scan;
    const { parser } = scan;
    const { resolved } = this;
    if (resolved === undefined) return;
    const found = argumentsFrom(value, resolved.tool);
    if (found === undefined || parser.broken) {
      this.#fail(resolved.tool.name, 'malformed arguments');
      return;
    }
    const span = isJsonObject(value) ? parser.spans.get(value) : undefined;
    const text = span?.clean === true ? scan.text.slice(span.start, span.end) : found.text;
    this.#args = {
      args: found.args,
      ...(text === undefined ? {} : { text }),
      repairs: [...parser.repairs, ...found.repairs],
    };
    if (parser.cut === 'no') {
      this.flush('next');
      return;
    }
    const onlyClosers = span?.closed === true || parser.cut === 'closers';
    const raw = this.#raw(resolved, this.#args);
    scan.acceptCut(raw, { start, end: parser.pos, form: this.form }, onlyClosers);
    this.#clear(true);
  }

  #takeCalls(value: JsonValue | undefined, start: number): void {
    const scan = this.#scan;
    if (this.pending && this.resolved !== undefined) this.flush('next');
    const written = this.#unknownName();
    const outcomes = acceptCandidates(scan, value, {
      start,
      form: this.form,
      format: this.format,
      strong: true,
      infer: written === '',
      id: this.id,
    });
    if (outcomes === 0 && written !== '') this.#fail(written, 'unknown tool');
    else if (outcomes === 0 && scan.parser.cut !== 'no') scan.truncated = true;
    else if (outcomes === 0 && this.strong) this.#fail('', 'names no tool');
    else this.outcomes += outcomes;
    this.#clear(false);
  }

  /** Completes the call that is pending, if one is. */
  flush(how: 'close' | 'next' | 'end', cut = false): void {
    const scan = this.#scan;
    const { resolved } = this;
    const where = { start: this.start, end: this.end, form: this.form };
    if (resolved === undefined) {
      const written = this.#unknownName();
      const mentioned = how === 'end' && this.#isMention();
      const named = this.written !== '' && !mentioned;
      const sure = named || this.hasArguments || (this.strong && how === 'close');
      if (written !== '' && sure) this.#fail(written, 'unknown tool');
      else if (this.#parameters.length > 0) this.#inferTool();
      this.#clear(false);
      return;
    }
    const found = this.#arguments(resolved);
    if (this.#isProse() || (how === 'end' && this.#isMention())) {
      this.#clear(false);
      return;
    }
    if (found === undefined) this.#fail(resolved.tool.name, 'malformed arguments');
    else if (how === 'end' && this.#args === undefined) {
      scan.acceptCut(this.#raw(resolved, found), where, !cut && this.#parameters.length > 0);
      this.outcomes++;
    } else {
      scan.accept(this.#raw(resolved, found), where);
      this.outcomes++;
    }
    this.#clear(false);
  }

  /** `<name>ping</name>` somewhere in a document: a tag anyone may use, around a word. */
  #isProse(): boolean {
    if (this.strong || this.hasArguments || this.format !== 'tags') return false;
    return this.opener.endsWith('name') || this.start !== this.#scan.inkStart;
  }

  /** `Use <function=ping> to check.`: a tag in mid-sentence that nothing closes. The scan is told. */
  #isMention(): boolean {
    if (this.strong || this.hasArguments || this.form !== 'tag') return false;
    if (this.#words === '' && this.resolved !== undefined) return false;
    const { text } = this.#scan;
    const line = lineStart(text, this.start, 400);
    const mentioned = line === undefined || skipSpace(text, line) < this.start;
    if (mentioned) this.#scan.mentioned = true;
    return mentioned;
  }

  /** What stood where a name belongs and is none of the tools. */
  #unknownName(): string {
    if (this.resolved !== undefined) return '';
    return this.written === '' && isName(this.#words) ? this.#words : this.written;
  }

  #arguments({ tool }: ResolvedName): Arguments | undefined {
    if (this.#args !== undefined) return this.#args;
    if (this.#parameters.length > 0) return typedArguments(this.#parameters, tool);
    if (this.#words !== '') return singleInput(this.#words, tool);
    return { args: {}, text: '{}', repairs: [] };
  }

  #inferTool(): void {
    const scan = this.#scan;
    const keys = Object.fromEntries(this.#parameters.map(({ key, raw }) => [key, raw]));
    const [candidate] = recogniseCalls(keys, scan.index, true);
    if (candidate?.inferred !== true || candidate.resolved === undefined) return;
    this.resolved = candidate.resolved;
    const found = this.#arguments(candidate.resolved);
    if (found === undefined) return;
    const raw = this.#raw(candidate.resolved, found);
    const inferred: RawCall = {
      ...raw,
      repairs: [...raw.repairs, 'inferred_tool'],
      confidence: 'low',
    };
    scan.accept(inferred, { start: this.start, end: this.end, form: this.form });
    this.outcomes++;
  }

  #raw(resolved: ResolvedName, found: Arguments): RawCall {
    const guessed = found.repairs.includes('single_input') || this.format === 'yaml';
    const confidence = guessed ? 'low' : this.strong ? 'high' : 'medium';
    return {
      resolved,
      ...found,
      ...(this.id === undefined ? {} : { id: this.id }),
      format: this.format,
      confidence,
    };
  }

  #fail(name: string, reason: string): void {
    this.#scan.reject(name, reason);
    this.outcomes++;
    this.#clear(false);
  }

  #clear(counted: boolean): void {
    if (counted) this.outcomes++;
    this.resolved = undefined;
    this.written = '';
    this.id = undefined;
    this.key = undefined;
    this.inArguments = false;
    this.opened = false;
    this.expectsId = false;
    this.#parameters = [];
    this.#args = undefined;
    this.#words = '';
  }

  /** Goes on behind a marker of its own. */
  pass({ start, end }: Interval): void {
    this.textFrom = end;
    this.end = end;
    if (this.outcomes === 0) this.#markers.push({ start, end });
  }

  /** Takes the zone out of the content: all of it, or only its markers. */
  leave(markerEnd: number): void {
    const scan = this.#scan;
    if (this.outcomes > 0 || scan.partial !== undefined) scan.remove(this.start, this.end, 'call');
    else if (this.strong) {
      scan.remove(this.start, markerEnd, 'marker');
      for (const { start, end } of this.#markers) scan.remove(start, end, 'marker');
    }
  }
}
