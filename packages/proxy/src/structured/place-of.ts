const PLAIN = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** Where in a value, as core's nudges write it: `items[0].name`. */
export function placeOf(path: readonly (string | number)[]): string {
  if (path.length === 0) return '(root)';
  let place = '';
  for (const step of path) {
    if (typeof step === 'number') place += `[${step}]`;
    else if (!PLAIN.test(step)) place += `[${JSON.stringify(step)}]`;
    else place += place === '' ? step : `.${step}`;
  }
  return place;
}
