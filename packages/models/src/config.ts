/** How a variable of the environment is read; tests and hosts give their own. */
export type ReadVariable = (name: string) => string | undefined;

/** The only reader of the environment in this package. A blank variable is one that is not set. */
export const readEnvironment: ReadVariable = (name) => process.env[name]?.trim() || undefined;
