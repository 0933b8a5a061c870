/** What was changed in a model's arguments, always without losing or inventing anything. */
export type RepairKind =
  /** JSON text where an object or a list was due. */
  | 'json_text'
  /** A number, boolean or null written as text. */
  | 'text_to_number'
  | 'text_to_boolean'
  | 'text_to_null'
  /** A number or boolean where text was due. */
  | 'number_to_text'
  | 'boolean_to_text'
  /** One value where a list was due, and the other way round. */
  | 'value_to_list'
  | 'list_to_value'
  /** An allowed value in another case or spacing. */
  | 'enum_spelling'
  /** A property under another spelling of its name. */
  | 'property_name'
  /** Null for an optional property that may not be null: left out. */
  | 'null_dropped'
  /** The arguments stood one level too deep: `{"arguments": {…}}`. */
  | 'unwrapped'
  /** No arguments at all, for a tool that needs none. */
  | 'empty_arguments'
  /** A whole number past 2^53 kept as a string of its digits. */
  | 'digits_kept';

export interface Repair {
  /** Where, in the repaired value. */
  readonly path: readonly (string | number)[];
  readonly kind: RepairKind;
  /** What was changed, in a line. */
  readonly message: string;
}
