import type { ModelReply, Usage } from '../models.ts';

/**
 * A reply as the log keeps it: the fields of a reply and no others, and only counts that are
 * numbers. A count that is none (`NaN`, or missing) would not come back from storage, and a sum
 * with it never reaches a limit.
 */
export function recordable(
  reply: ModelReply,
): ModelReply & { content: ModelReply['content'][number][] } {
  const { content, finish, usage, cost } = reply;
  return {
    content: [...content],
    finish,
    ...(usage && { usage: soundUsage(usage) }),
    ...(isCount(cost) && { cost }),
  };
}

function soundUsage({ inputTokens, outputTokens, ...details }: Usage): Usage {
  return {
    inputTokens: isCount(inputTokens) ? inputTokens : 0,
    outputTokens: isCount(outputTokens) ? outputTokens : 0,
    ...Object.fromEntries(Object.entries(details).filter(([, count]) => isCount(count))),
  };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value >= 0;
}
