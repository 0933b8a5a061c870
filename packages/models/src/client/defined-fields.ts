/** The object without the fields that are set to undefined, so that they override nothing. */
export function definedFields<T extends object>(value: T): T {
  if (!Object.values(value).includes(undefined)) return value;
  const copy = { ...value };
  for (const key in copy) if (copy[key] === undefined) delete copy[key];
  return copy;
}
