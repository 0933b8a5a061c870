import { isJsonObject, type JsonObject, type JsonValue, type OpaquePart } from '@forge/core';
import { wireName } from './wire-name.ts';

/** An item, or a part of a message's content, that has no counterpart among the kernel's parts. */
export function opaque(value: JsonObject): OpaquePart {
  return { type: 'opaque', wire: wireName, value };
}

/**
 * Items and content parts are both opaque parts. A content part is known by its type (`input_…`,
 * `output_…`: no item is called that), else it is wrapped, as it is when marks go with it.
 */
export function opaqueContent(raw: JsonObject, marks: JsonObject = {}): OpaquePart {
  const bare = Object.keys(marks).length === 0 && isContentType(raw.type);
  return opaque(bare ? raw : { ...marks, contentPart: raw });
}

/** What `opaqueContent` was given, or `undefined` for a whole item. */
export function contentOf(value: JsonObject): { raw: JsonObject; marks: JsonObject } | undefined {
  const { contentPart, ...marks } = value;
  if (isJsonObject(contentPart)) return { raw: contentPart, marks };
  return isContentType(value.type) ? { raw: value, marks: {} } : undefined;
}

function isContentType(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && /^(in|out)put_/.test(type);
}
