import { ForgeError } from '../errors.ts';

/**
 * - `backend`: what the backend says its window is, else the model table, else the default.
 * - `full`: as much as the model was trained for, as far as the backend can give it.
 * - `fast`: half of `full`, for backends that slow down as their window fills.
 * - `manual`: what the user says, even against the backend (its report may be wrong).
 */
export type BudgetMode = 'backend' | 'manual' | 'full' | 'fast';

export interface Budget {
  /** Tokens a request may take: system prompt, tool definitions and messages. */
  readonly tokens: number;
  readonly source: 'backend' | 'model' | 'manual' | 'default';
}

/**
 * Used when neither the backend nor the model table knows. Small enough for a local server with
 * its usual settings, large enough for a system prompt with a dozen tools.
 */
export const defaultBudgetTokens = 8_192;

/**
 * The budget of a request. Sizes from the backend and the table that are not positive numbers
 * count as unknown; a wrong size from the user is an error.
 *
 * @example
 * resolveBudget({ mode: 'fast', backendTokens: 32_768, modelTokens: 131_072 });
 * // { tokens: 16384, source: 'backend' }
 */
export function resolveBudget(options: {
  mode: BudgetMode;
  /** The window for `manual`. */
  tokens?: number;
  backendTokens?: number;
  modelTokens?: number;
  /**
   * Kept free for the reply, a quarter of the window at most: providers count prompt and reply
   * against one window, and a reply that fills it leaves no room for anything said about it.
   */
  reserveForReply?: number;
}): Budget {
  const window = resolveWindow(options);
  const reserve = options.reserveForReply ?? 0;
  if (!Number.isFinite(reserve) || reserve < 0) {
    throw new ForgeError(
      'invalid_options',
      `reserveForReply is ${reserve}. Give a number of tokens, 0 or more.`,
    );
  }
  const tokens = Math.max(1, Math.floor(window.tokens - Math.min(reserve, window.tokens / 4)));
  return { tokens, source: window.source };
}

function resolveWindow({
  mode,
  tokens,
  backendTokens,
  modelTokens,
}: {
  mode: BudgetMode;
  tokens?: number;
  backendTokens?: number;
  modelTokens?: number;
}): Budget {
  const backend = known(backendTokens);
  const model = known(modelTokens);
  switch (mode) {
    case 'manual': {
      const manual = known(tokens);
      if (manual !== undefined) return { tokens: manual, source: 'manual' };
      throw new ForgeError(
        'invalid_options',
        `Budget mode "manual" needs tokens, a positive number (got ${tokens}). Set tokens, e.g. { mode: 'manual', tokens: 32768 }, or use mode "backend".`,
      );
    }
    case 'backend':
      if (backend !== undefined) return { tokens: backend, source: 'backend' };
      if (model !== undefined) return { tokens: model, source: 'model' };
      return { tokens: defaultBudgetTokens, source: 'default' };
    case 'full':
      return largest(backend, model);
    case 'fast': {
      const full = largest(backend, model);
      return { tokens: Math.max(1, Math.floor(full.tokens / 2)), source: full.source };
    }
    default:
      return mode satisfies never;
  }
}

function largest(backend: number | undefined, model: number | undefined): Budget {
  if (model !== undefined && (backend === undefined || model <= backend)) {
    return { tokens: model, source: 'model' };
  }
  if (backend !== undefined) return { tokens: backend, source: 'backend' };
  return { tokens: defaultBudgetTokens, source: 'default' };
}

function known(tokens: number | undefined): number | undefined {
  if (tokens === undefined || !Number.isFinite(tokens) || tokens < 1) return undefined;
  return Math.floor(tokens);
}
