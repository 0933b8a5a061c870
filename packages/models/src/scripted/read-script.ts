import { createReadStream } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { ForgeError, messageOf } from '@forge/core';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { type Script, scriptSchema } from './script-schema.ts';

const largestScript = 8 * 1024 * 1024;

export interface LoadedScript {
  readonly script: Script;
  /** Where something stands, for messages: `demo.yaml:12`. */
  readonly placeOf: (path: readonly PropertyKey[]) => string;
}

/** Reads a script in YAML or JSON. What is wrong with it is `invalid_options` with file and line. */
export async function readScript(file: string): Promise<LoadedScript> {
  let text: string;
  try {
    // One byte more than is taken says that there are too many, even of a file without an end.
    text = await readText(createReadStream(file, { end: largestScript }));
  } catch (error) {
    throw new ForgeError(
      'invalid_options',
      `The script ${file} could not be read: ${messageOf(error)}. A scripted model is named like scripted:story.yaml.`,
      { cause: error },
    );
  }
  return parseScript(text, file);
}

/** As `readScript`, of a text; `file` is what messages call it. */
export function parseScript(text: string, file: string): LoadedScript {
  if (Buffer.byteLength(text) > largestScript) {
    throw new ForgeError('too_large', `${file} is larger than ${largestScript} bytes.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number) => `${file}:${Math.max(1, lines.linePos(offset).line)}`;
  const [fault] = document.errors;
  if (fault !== undefined) {
    throw new ForgeError('invalid_options', `${at(fault.pos[0])}: ${fault.message}`);
  }
  const placeOf = (path: readonly PropertyKey[]) => at(offsetOf(document, path));
  const value = readValue(document, file);
  const { success, data, error } = scriptSchema.safeParse(value);
  if (success) return { script: data, placeOf };
  const faults = error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${placeOf(path)}: ${path.join('.') || 'the script'}: ${message}`);
  throw new ForgeError('invalid_options', `The script cannot be played.\n${faults.join('\n')}`);
}

/** Aliases that would unfold without end are refused by the parser. */
function readValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new ForgeError('invalid_options', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Of the key at a path, or of what is nearest above it. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
