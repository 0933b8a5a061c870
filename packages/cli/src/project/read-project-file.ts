import { readFileSync } from 'node:fs';
import { ForgeError, isJsonObject, type JsonObject, neutralise } from '@forge/core';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { settingsJsonSchema } from '../settings/json-schema.ts';
import { type Settings, settingsSchema } from '../settings/settings-schema.ts';
import { explainIssues } from './explain-issues.ts';
import { type Place, placeOf } from './place-of.ts';

export interface ProjectFile {
  readonly file: string;
  /** The parts the file has, with their defaults. */
  readonly config: Partial<Settings>;
  /** What stands there, and no more. */
  readonly value: JsonObject;
  readonly placeOf: (path: readonly PropertyKey[]) => Place;
  /** With its comments, to be changed and written again. */
  readonly document: Document;
}

const mostCharacters = 1_000_000;
const mostFaults = 10;

/** Reads a `forge.yaml`. Everything wrong with it is told at once, each with its place. */
export function readProjectFile(file: string): ProjectFile {
  return parseProjectFile(file, readText(file));
}

export function parseProjectFile(file: string, text: string): ProjectFile {
  if (text.length > mostCharacters) {
    throw new ForgeError('invalid_options', `${file} is too long to be a configuration.`);
  }
  const lines = new LineCounter();
  const document = parseYaml(text, { file, lines });
  const value = readValue(document, file) ?? {};
  const place = (path: readonly PropertyKey[]) => placeOf(document, lines, path);
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success && isJsonObject(value)) {
    const said = Object.entries(parsed.data).filter(([key]) => Object.hasOwn(value, key));
    return { file, config: Object.fromEntries(said), value, placeOf: place, document };
  }
  const schema = settingsJsonSchema();
  throw wrongFile(
    explainIssues(parsed.error?.issues ?? [], { schema, value }).map(({ path, message }) => {
      const { line, column } = place(path);
      return `${file}:${line}:${column}: ${message}`;
    }),
  );
}

function parseYaml(
  text: string,
  { file, lines }: { readonly file: string; readonly lines: LineCounter },
): Document {
  let document: Document.Parsed;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  } catch (cause) {
    throw new ForgeError('invalid_options', `${file} cannot be read as YAML.`, { cause });
  }
  if (document.errors.length === 0) return document;
  throw wrongFile(
    document.errors.map(({ pos: [offset], message }) => {
      const { line, col } = lines.linePos(offset);
      return `${file}:${line}:${col}: ${message}`;
    }),
  );
}

/** Aliases that multiply without end are refused by the library. */
function readValue(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ForgeError('invalid_options', neutralise(`${file}: ${why}`), { cause });
  }
}

function wrongFile(faults: readonly string[]): ForgeError {
  const more = faults.length - mostFaults;
  const told = faults.slice(0, mostFaults);
  return new ForgeError(
    'invalid_options',
    neutralise([...told, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')),
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new ForgeError('invalid_options', `${file} cannot be read (${why}).`, { cause });
  }
}
