/** Names for calls that came without an id: the same reply always gives the same ones. */
export interface CallIds {
  next(name: string): string;
}

/**
 * `scope` (the reply's id) keeps calls of different turns apart; a request is one scope of its
 * own, since it is decoded whole.
 */
export function createCallIds(scope: () => string | undefined): CallIds {
  let count = 0;
  return {
    next(name) {
      const id = `${name || 'call'}_${count}`;
      count += 1;
      const suffix = scope();
      return suffix === undefined || suffix === '' ? id : `${id}_${suffix}`;
    },
  };
}
