import { parseArgs } from 'node:util';
import { type MistakeName, mistakeNames } from './mistakes.ts';

export interface ClientsOptions {
  readonly clients: readonly string[];
  readonly mistakes: readonly MistakeName[];
  readonly isVerbose: boolean;
}

/** What the command line asks for; `say` is what to tell the user instead. */
export function readOptions(
  args: readonly string[],
  known: readonly string[],
): ClientsOptions | { readonly say: string; readonly exitCode: number } {
  const help = `Real coding agents do one task each, with a model whose first tool call is malformed:
directly, and through the proxy. They are installed into the cache folder.

  npm run clients -- opencode codex

  CLIENT...          ${known.join(', ')} (default: all)
  --mistake NAME     ${mistakeNames.join(', ')}; may be repeated (default: all)
  --verbose          what was said and done in each run
  --help             print this help
`;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        mistake: { type: 'string', multiple: true },
        verbose: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) return { say: help, exitCode: 0 };
    const wanted = values.mistake ?? mistakeNames;
    const mistakes = mistakeNames.filter((name) => wanted.includes(name));
    const odd =
      positionals.find((name) => !known.includes(name)) ??
      wanted.find((name) => !mistakeNames.some((each) => each === name));
    if (odd !== undefined) return { say: `There is no "${odd}" here.\n\n${help}`, exitCode: 2 };
    return {
      clients: positionals.length > 0 ? positionals : known,
      mistakes,
      isVerbose: values.verbose === true,
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { say: `${message}\n\n${help}`, exitCode: 2 };
  }
}
