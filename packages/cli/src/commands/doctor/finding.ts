/** What one look found. */
export interface Finding {
  /** What was looked at: `git`, `store`, `model anthropic:…`. */
  readonly name: string;
  /** `fail`: something that the configuration needs is missing or wrong. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export const ok = (name: string, message: string): Finding => ({ name, status: 'ok', message });

export const warn = (name: string, message: string, fix?: string): Finding => ({
  ...{ name, status: 'warn', message },
  ...(fix !== undefined && { fix }),
});

export const fail = (name: string, message: string, fix?: string): Finding => ({
  ...{ name, status: 'fail', message },
  ...(fix !== undefined && { fix }),
});
