import { ForgeError, type Tool, ToolResolutionError } from '@forge/core';
import type { Results } from '../../results/create-results.ts';

/** With its marks and our words it must fit what is shown of an error. */
const longestQuote = 1_300;

export interface Quoting {
  /** Our own words, before what is quoted. */
  readonly said: string;
  /** What stands in the workspace, or a program in it said. Nothing is shown of an empty one. */
  readonly quote: string;
  /** Our own words, after it. */
  readonly advice?: string | undefined;
  /** Text to be copied: control characters stay as they are. */
  readonly exact?: boolean;
}

/**
 * A failure that quotes the workspace. The quote is no part of the message, so that it cannot reach a
 * model but by `showingQuotes`, which marks it where the workspace is a stranger's. With the code
 * `not_found` it becomes a `ToolResolutionError` there.
 */
export class QuotingError extends ForgeError {
  readonly quoting: Quoting;

  constructor(code: 'tool_failed' | 'not_allowed' | 'not_found', quoting: Quoting) {
    super(code, [quoting.said, quoting.advice].filter(Boolean).join(' '));
    this.quoting = quoting;
  }
}

/** The tool, with what its failures quote shown as its results are. */
export function showingQuotes(tool: Tool, results: Results): Tool {
  const { run } = tool;
  if (run === undefined) return tool;
  return {
    ...tool,
    run: async (args, context) => {
      try {
        return await run(args, context);
      } catch (error) {
        if (!(error instanceof QuotingError)) throw error;
        const { code, quoting } = error;
        const shown = await showQuote(results, quoting);
        const message = [quoting.said, shown, quoting.advice].filter(Boolean).join('\n');
        throw code === 'not_found'
          ? new ToolResolutionError(message)
          : new ForgeError(code, message, { cause: error });
      }
    },
  };
}

/** What stands in the workspace, in a few lines. */
export async function showQuote(
  results: Results,
  { quote, exact = false }: Pick<Quoting, 'quote' | 'exact'>,
): Promise<string> {
  if (quote === '') return '';
  const content = quote.length > longestQuote ? `${quote.slice(0, longestQuote)}…` : quote;
  return results.showWorkspace({ source: 'workspace', content, exact, whole: true });
}
