import type { Ref, Source } from './pipeline-schema.ts';

/** A word, then names between dots: `input.request`, `code.0.commit`. */
export const refPattern = /^[A-Za-z][A-Za-z0-9_-]*(\.[^.\s]+)*$/;

export interface Place {
  /** `input`, a node, or what an `each` brings: its item, `done`; `failure`. */
  readonly root: string;
  readonly path: readonly string[];
}

export function parsePlace(text: string): Place {
  const [root = '', ...path] = text.split('.');
  return { root, path };
}

/** What a reference may take its value from, best first. */
export function sourcesOf(ref: Ref): readonly Source[] {
  if (typeof ref === 'string') return [ref];
  if (Array.isArray(ref)) return ref;
  if ('optional' in ref) return sourcesOf(ref.optional);
  return [ref];
}

export function isOptional(ref: Ref): boolean {
  return typeof ref === 'object' && 'optional' in ref;
}

/** As a person would say it: `fix.commit or merge.commit`. */
export function describeRef(ref: Ref): string {
  return sourcesOf(ref)
    .map((source) => (typeof source === 'string' ? source : JSON.stringify(source.value)))
    .join(' or ');
}
