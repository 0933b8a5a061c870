/** JSON Schema as it arrives from anywhere: not trusted until it is compiled. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };
