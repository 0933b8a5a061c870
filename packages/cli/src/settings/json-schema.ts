import { isJsonObject, type JsonObject } from '@forge/core';
import * as z from 'zod';
import { settingsSchema } from './settings-schema.ts';

let made: JsonObject | undefined;

/** The settings as JSON Schema, with our own notes: `expected` and `secret`. Made once. */
export function settingsJsonSchema(): JsonObject {
  made ??= asJsonSchema({});
  return made;
}

/** For editors: completion and checks of `forge.yaml`. */
export function publishedSchema(): JsonObject {
  const { $schema = '', ...rest } = asJsonSchema({
    override({ jsonSchema }) {
      delete jsonSchema.expected;
      delete jsonSchema.secret;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return {
    $schema,
    title: 'forge.yaml',
    description: 'Settings of Forge: forge.yaml of a project, config.yaml of a user.',
    ...rest,
  };
}

function asJsonSchema(options: z.core.ToJSONSchemaParams): JsonObject {
  const schema: unknown = z.toJSONSchema(settingsSchema, {
    io: 'input',
    unrepresentable: 'any',
    ...options,
  });
  // Zod adds a hidden field of its own, which is not JSON.
  const plain: unknown = JSON.parse(JSON.stringify(schema));
  return isJsonObject(plain) ? plain : {};
}
