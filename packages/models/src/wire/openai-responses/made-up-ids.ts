import type { JsonValue } from '@forge/core';

const mark = 'forge_';
const pattern = /^[a-z]+_forge_/;

export type IdPrefix = 'resp' | 'msg' | 'rs' | 'fc' | 'call' | 'item';

/** An id for something that had none. It says so itself, so that it is not kept on the way back. */
export function makeUpId(prefix: IdPrefix, unique: string): string {
  return `${prefix}_${mark}${unique}`;
}

export function isMadeUp(id: string): boolean {
  return pattern.test(id);
}

/** An id the other side gave, as opposed to none, an empty one, or one made up here. */
export function givenId(id: JsonValue | undefined): string | undefined {
  return typeof id === 'string' && id !== '' && !isMadeUp(id) ? id : undefined;
}
