export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Says what happened. Never what was in a command, a file or a token. */
export type Log = (
  level: Exclude<LogLevel, 'silent'>,
  message: string,
  facts?: Readonly<Record<string, string | number | undefined>>,
) => void;
