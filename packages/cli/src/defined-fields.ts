/** The object without the fields that are undefined, so that they override nothing. */
export function definedFields<T extends object>(value: T): T {
  const copy = { ...value };
  for (const key in copy) if (copy[key] === undefined) delete copy[key];
  return copy;
}
