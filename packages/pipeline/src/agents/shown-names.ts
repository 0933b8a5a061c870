import { neutralise } from '@forge/core';

/** The first of these names, for a line to a model. One that could be taken for words of ours is quoted. */
export function shownNames(names: readonly string[], most: number): string {
  const shown = names
    .slice(0, most)
    .map((name) => (/^[^\p{C}\p{Z}"',]+$/u.test(name) ? name : neutralise(JSON.stringify(name))));
  return [...shown, ...(names.length > most ? ['…'] : [])].join(', ');
}
