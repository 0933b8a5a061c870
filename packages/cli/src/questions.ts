import { createInterface } from 'node:readline/promises';
import { ForgeError } from '@forge/core';
import type { Terminal } from './terminal.ts';

/** Questions to a person, one after the other. An empty answer takes what is in brackets. */
export interface Questions {
  /** `check` says what is wrong with an answer; it is then asked again. */
  text(
    question: string,
    options?: { readonly usual?: string; readonly check?: (answer: string) => string | undefined },
  ): Promise<string>;
  yes(question: string, usual: boolean): Promise<boolean>;
  /** Resolves with the index of the choice. The first one is the usual one. */
  choice(question: string, choices: readonly string[]): Promise<number>;
  close(): void;
}

export function createQuestions({
  terminal,
  stdin,
  signal,
}: {
  readonly terminal: Terminal;
  readonly stdin: NodeJS.ReadableStream;
  readonly signal: AbortSignal;
}): Questions {
  const reader = createInterface({ input: stdin, terminal: false, signal });
  const lines = reader[Symbol.asyncIterator]();

  const ask: Questions['text'] = async (question, { usual, check } = {}) => {
    while (true) {
      terminal.ask(`${question}${usual ? terminal.style('dim', ` [${usual}]`) : ''} `);
      const { done, value = '' } = await lines.next();
      signal.throwIfAborted();
      if (done) throw noAnswer();
      const answer = value.trim() || (usual ?? '');
      const wrong = answer === '' ? 'It needs an answer.' : check?.(answer);
      if (wrong === undefined) return answer;
      terminal.out(terminal.style('yellow', wrong));
    }
  };
  return {
    text: ask,
    async yes(question, usual) {
      const check = (answer: string) =>
        /^(y|yes|n|no)$/i.test(answer) ? undefined : 'Answer with y or n.';
      return /^y/i.test(await ask(question, { usual: usual ? 'y' : 'n', check }));
    },
    async choice(question, choices) {
      for (const [index, choice] of choices.entries()) {
        terminal.out(`  ${terminal.style('bold', String(index + 1).padStart(2))}  ${choice}`);
      }
      const check = (answer: string) =>
        /^\d{1,4}$/.test(answer) && choices[Number(answer) - 1] !== undefined
          ? undefined
          : `Answer with a number from 1 to ${choices.length}.`;
      return Number(await ask(question, { usual: '1', check })) - 1;
    },
    close: () => reader.close(),
  };
}

function noAnswer(): ForgeError {
  return new ForgeError(
    'invalid_options',
    'The input ended before all was answered. Run it in a terminal, or with flags (and --non-interactive, where there is one).',
  );
}
