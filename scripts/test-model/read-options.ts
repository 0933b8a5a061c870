import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export interface TestModelOptions {
  readonly engines: readonly string[];
  readonly conditions: readonly string[];
  readonly rounds: number;
  readonly threads: number;
  readonly json: string | undefined;
}

export const help = `Guarded tool calls with a real small model, guardrails off and on.

  npm run test:model -- --engine llama-server --rounds 1

  --engine NAME      embedded or llama-server; may be repeated (default: both)
  --condition NAME   off, read, on or on+schema; may be repeated (default: all)
  --rounds N         how often each of the 10 tasks is played (default: 3)
  --threads N        processor threads for the model (default: all)
  --json FILE        where the results go as JSON (default: the cache folder)
  --help             print this help
`;

/** What the command line asks for; a string is what to tell the user instead. */
export function readOptions(
  args: readonly string[],
  known: { readonly engines: readonly string[]; readonly conditions: readonly string[] },
): TestModelOptions | { readonly say: string; readonly exitCode: number } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        engine: { type: 'string', multiple: true },
        condition: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        threads: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) return { say: help, exitCode: 0 };
    return {
      engines: among('--engine', values.engine, known.engines),
      conditions: among('--condition', values.condition, known.conditions),
      rounds: count('--rounds', values.rounds, 3),
      threads: count('--threads', values.threads, availableParallelism()),
      json: values.json,
    };
  } catch (error) {
    return {
      say: `${error instanceof Error ? error.message : String(error)}\n\n${help}`,
      exitCode: 2,
    };
  }
}

function among(option: string, given: readonly string[] | undefined, known: readonly string[]) {
  for (const name of given ?? []) {
    if (!known.includes(name))
      throw new Error(`${option} takes ${known.join(', ')}, not "${name}".`);
  }
  return given ?? known;
}

function count(option: string, given: string | undefined, otherwise: number): number {
  const value = given === undefined ? otherwise : Number(given);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`${option} takes a whole number above 0, not "${given}".`);
}
