import type { ContextDecision } from './plan-compaction.ts';

type TooLarge = Omit<Extract<ContextDecision, { type: 'too_large' }>, 'rendered'>;

/** What to tell the person whose run cannot go on: what takes the space, and what to do. */
export function explainOverflow({ tokens, budget, fixedTokens, inputTokens }: TooLarge): string {
  const rest = tokens - fixedTokens - inputTokens;
  const shares = [
    { size: fixedTokens, advice: 'shorten the system prompt or offer fewer tools' },
    { size: inputTokens, advice: 'send less input, or refer to files instead of pasting them' },
    { size: rest, advice: 'let tools return less, keep fewer recent turns, or add a summariser' },
  ].sort((a, b) => b.size - a.size);
  return (
    `The request needs about ${tokens} tokens and the context budget is ${budget}: ` +
    `system prompt and tools ${fixedTokens}, input ${inputTokens}, work in progress ${rest}. ` +
    `Nothing more can be removed. Use a model or backend with a larger context, or ${shares[0]?.advice}.`
  );
}
