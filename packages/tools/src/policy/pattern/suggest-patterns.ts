import { escapeGlob } from './glob.ts';
import { allowsCall, type PatternCall } from './match-call.ts';
import { longestPattern, parsePattern } from './parse-pattern.ts';

/**
 * Patterns that allow this call, from narrow to wide, for a person to choose from: exactly this
 * argument where a rule can say it, and at last all calls of the tool.
 */
export function suggestPatterns(call: PatternCall): readonly string[] {
  const tool = escapeGlob(call.tool);
  const specific = specifics(call).map((condition) => `${tool}(${condition})`);
  return [...specific, tool].filter((pattern) => canSay(pattern, call));
}

/** Exactly the main argument; or exactly the only one. */
function specifics({ args, main }: PatternCall): readonly string[] {
  const [only, ...others] = Object.keys(args);
  const argument = main ?? (others.length === 0 ? only : undefined);
  const value = argument === undefined ? undefined : args[argument];
  if (argument === undefined || value === undefined) return [];
  if (!['string', 'number', 'boolean'].includes(typeof value)) return [];
  const exact = escapeGlob(String(value));
  const isNamed = main === undefined || /^[\p{L}_$][\p{L}\p{N}_$-]*[<>]?=/u.test(exact);
  return [isNamed ? `${argument}=${exact}` : exact];
}

function canSay(pattern: string, call: PatternCall): boolean {
  if (pattern.length > longestPattern) return false;
  try {
    return allowsCall(parsePattern(pattern), call);
  } catch {
    return false; // A name or a value that no pattern can say.
  }
}
