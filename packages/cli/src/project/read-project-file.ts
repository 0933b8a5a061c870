import { readFileSync } from 'node:fs';
import { ForgeError, isJsonObject, type JsonObject } from '@forge/core';
import { type Document, LineCounter, parseDocument } from 'yaml';
import * as z from 'zod';
import { explainIssues } from './explain-issues.ts';
import { placeOf } from './place-of.ts';
import { type ProjectConfig, projectSchema } from './project-schema.ts';

export interface ProjectFile {
  readonly file: string;
  readonly config: ProjectConfig;
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
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  if (document.errors.length > 0) {
    throw wrongFile(
      document.errors.map(({ pos: [offset], message }) => {
        const { line, col } = lines.linePos(offset);
        return `${file}:${line}:${col}: ${message}`;
      }),
    );
  }
  const value = readValue(document, file) ?? {};
  const parsed = projectSchema.safeParse(value);
  if (parsed.success) return { file, config: parsed.data, document };
  const faults = explainIssues(parsed.error.issues, { schema: jsonSchema(), value });
  throw wrongFile(
    faults.map(({ path, message }) => {
      const { line, column } = placeOf(document, lines, path);
      return `${file}:${line}:${column}: ${message}`;
    }),
  );
}

/** Aliases that multiply without end are refused by the library. */
function readValue(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ForgeError('invalid_options', `${file}: ${why}`, { cause });
  }
}

function jsonSchema(): JsonObject {
  const schema: unknown = z.toJSONSchema(projectSchema, { io: 'input', unrepresentable: 'any' });
  return isJsonObject(schema) ? schema : {};
}

function wrongFile(faults: readonly string[]): ForgeError {
  const more = faults.length - mostFaults;
  const told = faults.slice(0, mostFaults);
  return new ForgeError(
    'invalid_options',
    [...told, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'),
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
