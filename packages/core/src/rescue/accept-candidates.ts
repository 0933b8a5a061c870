import { isJsonObject, type JsonValue } from '../json.ts';
import { skipSpace } from './chars.ts';
import { argumentsFrom, type RawCall } from './finish-call.ts';
import { recogniseCalls } from './recognise-calls.ts';
import type { Form, Scan } from './scan.ts';

/** Hands every call in a parsed value to the scan; the number of calls and rejections. */
export function acceptCandidates(
  scan: Scan,
  value: JsonValue | undefined,
  {
    start,
    form,
    format,
    strong,
    infer = false,
    id,
  }: {
    start: number;
    form: Form;
    format: string;
    strong: boolean;
    /** Where no name was written, the arguments may tell the tool. */
    infer?: boolean;
    id?: string | undefined;
  },
): number {
  const { parser, index, text } = scan;
  const candidates = recogniseCalls(value, index, strong).filter(
    ({ inferred }) => infer || !inferred,
  );
  let outcomes = 0;
  for (const candidate of candidates) {
    const { resolved, args, source, written } = candidate;
    const last = candidate === candidates.at(-1);
    if (resolved === undefined) {
      if (!candidate.clear || (index.size === 0 && !strong)) continue;
      scan.reject(written, 'unknown tool');
      outcomes++;
      continue;
    }
    if (candidate.definition) {
      scan.reject(written, 'tool definition');
      outcomes++;
      continue;
    }
    const span = isJsonObject(args) ? parser.spans.get(args) : undefined;
    const certain = span?.closed === true || parser.spans.get(source)?.closed === true;
    const cutHere = last && !certain && parser.cut !== 'no';
    if (parser.broken && last && !certain) {
      scan.reject(resolved.tool.name, 'malformed arguments');
      outcomes++;
      continue;
    }
    const found = argumentsFrom(args, resolved.tool);
    if (found === undefined) {
      if (!strong && !candidate.clear) continue;
      scan.reject(resolved.tool.name, cutHere ? 'cut off' : 'arguments are not an object');
      outcomes++;
      continue;
    }
    const own = span?.clean === true ? text.slice(span.start, span.end) : found.text;
    const callId = candidate.id ?? id;
    const raw: RawCall = {
      resolved,
      args: found.args,
      ...(own === undefined ? {} : { text: own }),
      ...(callId === undefined ? {} : { id: callId }),
      format,
      repairs: [
        ...parser.repairs,
        ...found.repairs,
        ...(candidate.inferred ? ['inferred_tool'] : []),
      ],
      confidence: candidate.inferred ? 'low' : strong ? 'high' : 'medium',
    };
    const where = { start, end: parser.pos, form };
    outcomes++;
    if (!cutHere) scan.accept(raw, where);
    else if (args === undefined && text.endsWith(written)) scan.truncated = true;
    else scan.acceptCut(raw, where, parser.cut === 'closers' && args !== undefined);
  }
  return outcomes;
}

/** Behind a value: closers too many, and the separators between values. */
export function skipLeftovers(text: string, at: number): number {
  let i = skipSpace(text, at);
  let end = at;
  while (i < text.length && (text.charCodeAt(i) === 125 || text.charCodeAt(i) === 93)) {
    end = i + 1;
    i = skipSpace(text, end);
  }
  return end;
}
