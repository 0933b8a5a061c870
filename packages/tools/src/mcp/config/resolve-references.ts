import { ForgeError } from '@forge/core';

/** A variable of the environment, or undefined where it is not set. */
export type ReadVariable = (name: string) => string | undefined;

const reference = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The values with every `${env:NAME}` filled in. A name that is not set is an error, not empty. */
export function resolveReferences(
  values: Readonly<Record<string, string>>,
  readVariable: ReadVariable,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, resolveReference(value, readVariable)]),
  );
}

export function resolveReference(value: string, readVariable: ReadVariable): string {
  return value.replace(reference, (_, name: string) => {
    const found = readVariable(name);
    if (found !== undefined) return found;
    throw new ForgeError(
      'invalid_options',
      `The environment variable ${name} is not set, and an MCP server's settings refer to it. Set it and try again.`,
    );
  });
}

/** True where a value says nothing by itself: it is made of references and plain words around. */
export function isReference(value: string): boolean {
  return /\$\{env:[A-Za-z_][A-Za-z0-9_]*\}/.test(value);
}
