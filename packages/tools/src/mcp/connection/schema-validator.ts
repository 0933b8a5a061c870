import { type CompiledSchema, compileSchema, isJsonObject, type JsonSchema } from '@forge/core';
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';

/**
 * Checks structured results with the kernel's own compiler, which generates no code from what a
 * server sends. A schema it cannot read says nothing about the result.
 */
export const schemaValidator: jsonSchemaValidator = {
  getValidator<T>(schema: unknown) {
    const compiled = isJsonObject(schema) ? tryCompile(schema) : undefined;
    return (input) => {
      const [issue] = compiled?.issues(input, 1) ?? [];
      return issue === undefined
        ? // The signature is the SDK's: what fits the schema is by its word a T.
          { valid: true, data: input as T, errorMessage: undefined }
        : {
            valid: false,
            data: undefined,
            errorMessage: `${issue.path.join('.')} ${issue.message}`,
          };
    };
  },
};

function tryCompile(schema: JsonSchema): CompiledSchema | undefined {
  try {
    return compileSchema(schema);
  } catch {
    return undefined;
  }
}
