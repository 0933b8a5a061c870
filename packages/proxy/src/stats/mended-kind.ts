/** A repair that already is a name: `trailing_comma`, also as `arguments: trailing_comma`. */
const bareName = /^(?:arguments: )?([a-z][a-z_]{0,39})$/;
/** Where a repair of a value says what it did, after the path. Paths may quote anything. */
const valueRepair = /: (?:read (?:the )?|left out "|kept a whole number|took the arguments out)/;
const readAs = / as (a string|a number|an integer|a boolean|an object|an array|null)$/;

const typeNames: Readonly<Record<string, string>> = {
  'a string': 'read_as_text',
  'a number': 'read_as_number',
  'an integer': 'read_as_number',
  'a boolean': 'read_as_boolean',
  'an object': 'json_text',
  'an array': 'read_as_list',
  null: 'read_as_null',
};

/**
 * A short stable name for something mended. What is said of it in words quotes the model and the
 * request; of that nothing may be kept, so words that are not known become `other`. Undefined for
 * "found as text", which is counted by its format.
 */
export function mendedKind(what: string): string | undefined {
  const name = bareName.exec(what)?.[1];
  if (name !== undefined) return name;
  if (what.startsWith('found as text (')) return undefined;
  if (what.startsWith('coerced:')) return 'coerced';
  if (what.startsWith('name: "') && what.includes('" read as ')) return 'tool_name';
  if (what.startsWith('a further call to ')) return 'cut_call_left_out';
  if (what.includes(': no arguments were given')) return 'empty_arguments';
  const at = what.search(valueRepair);
  return at === -1 ? 'other' : kindOfValueRepair(what.slice(at + 2));
}

function kindOfValueRepair(words: string): string {
  if (words.startsWith('left out')) return 'null_left_out';
  if (words.startsWith('kept')) return 'digits_kept';
  if (words.startsWith('took')) return 'unwrapped';
  if (words.startsWith('read the arguments')) return 'json_text';
  if (words.startsWith('read the property')) return 'property_name';
  const type = readAs.exec(words)?.[1];
  return type === undefined ? 'spelling' : (typeNames[type] ?? 'other');
}
