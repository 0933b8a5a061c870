import { ForgeError, type JsonObject, type Tool, type ToolBudget } from '@forge/core';
import { blockedCommand } from './command/blocked-command.ts';
import { notListed } from './command/listed-commands.ts';
import { matchGlob } from './pattern/glob.ts';
import { mainArgument } from './pattern/main-argument.ts';
import { allowsCall, commandNames, deniesCall, type PatternCall } from './pattern/match-call.ts';
import { type CallPattern, parsePattern } from './pattern/parse-pattern.ts';
import { type Policy, type PolicyRule, policySchema } from './policy-schema.ts';

/** Names of one tool: the first, and those it has beside it. */
export type Aliases = Readonly<Record<string, readonly string[]>>;

/** A call as a rule sees it. */
export interface CallView {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface PolicyNames {
  readonly aliases?: Aliases;
  /**
   * Other ways to say the same call, such as under another name with the arguments of that. What a
   * rule says of one of them it says of the call. `callViews` knows those of the built-in tools.
   */
  readonly viewsOf?: (call: CallView) => readonly CallView[];
}

/**
 * The tools a policy leaves, each carrying what the policy says of it. The kernel asks them in this
 * order, for every call and in every driver: what is denied never reaches a person, what is beyond a
 * budget never starts, and only then does anybody decide.
 *
 * What it says of one name of a tool it says of the others (`aliases`): they are one tool, with one
 * budget. Where they take other arguments, `viewsOf` says which.
 *
 * @example
 * applyPolicy(tools, { rules: [{ deny: 'shell(git push*)' }, { allow: 'shell(git *)' }], budgets: { shell: 50 } })
 */
export function applyPolicy(
  tools: readonly Tool[],
  policy: Policy,
  { aliases = {}, viewsOf = () => [] }: PolicyNames = {},
): readonly Tool[] {
  const parsed = policySchema.safeParse(policy);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ForgeError(
      'invalid_options',
      `The policy is wrong at ${issue?.path.join('.') || 'its top'}: ${issue?.message}`,
    );
  }
  const { enabled, disabled = [], rules = [], budgets = {}, commands } = parsed.data;
  const read = rules.map(readRule);
  const namesOf = ({ spec: { name } }: Tool) => familyOf(name, aliases);
  const isEnabled = (tool: Tool) =>
    (enabled === undefined || named(enabled, namesOf(tool))) && !named(disabled, namesOf(tool));
  const kept = tools.filter(isEnabled);
  const mains = new Map(tools.map(({ spec }) => [spec.name, mainArgument(spec.inputSchema)]));
  const callsOf = (tool: Tool, args: JsonObject): readonly PatternCall[] => {
    const call = { tool: tool.spec.name, args };
    const main = mains.get(call.tool);
    return [
      ...namesOf(tool).map((name) => ({ tool: name, args, main })),
      ...viewsOf(call).map((view) => ({ ...view, main: mains.get(view.tool) ?? main })),
    ];
  };
  const shared = budgetsOf(kept, budgets, aliases);
  return kept.map((tool) => ({
    ...tool,
    budget: shared.get(tool.spec.name) ?? tool.budget,
    denies: (args) => denial({ tool, calls: callsOf(tool, args), rules: read, commands, args }),
    needsApproval: (args) => asks({ tool, calls: callsOf(tool, args), rules: read, args }),
  }));
}

interface ReadRule {
  readonly effect: 'deny' | 'ask' | 'allow';
  readonly pattern: CallPattern;
  readonly because?: string | undefined;
}

function readRule(rule: PolicyRule): ReadRule {
  if ('deny' in rule)
    return { effect: 'deny', pattern: parsePattern(rule.deny), because: rule.because };
  if ('ask' in rule) return { effect: 'ask', pattern: parsePattern(rule.ask) };
  return { effect: 'allow', pattern: parsePattern(rule.allow) };
}

function named(patterns: readonly string[], names: readonly string[]): boolean {
  const globs = patterns.map((text) => parsePattern(text).tool);
  return globs.some((glob) => names.some((name) => matchGlob(glob, name)));
}

interface Judged {
  readonly tool: Tool;
  /** The call in all the ways it may be said. */
  readonly calls: readonly PatternCall[];
  readonly rules: readonly ReadRule[];
  readonly args: JsonObject;
}

function denial({
  tool,
  calls,
  rules,
  commands,
  args,
}: Judged & { readonly commands: readonly string[] | undefined }): string | undefined {
  const own = tool.denies?.(args);
  if (own !== undefined) return own;
  const rule = rules.find(
    ({ effect, pattern }) => effect === 'deny' && calls.some((call) => deniesCall(pattern, call)),
  );
  if (rule !== undefined) {
    const because = rule.because === undefined ? '' : `: ${rule.because}`;
    return `The rule ${rule.pattern.text} forbids this call of ${tool.spec.name}${because}. Do not send it again.`;
  }
  for (const command of commandsOf(args)) {
    const blocked = blockedCommand(typeof command === 'string' ? command : command.join(' '));
    if (blocked !== undefined) return `Command blocked: ${blocked}.`;
    const problem = commands === undefined ? undefined : notListed(command, commands);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function asks({ tool, calls, rules, args }: Judged): boolean {
  // As wide as a denial: in doubt somebody is asked.
  const isAbout = (wanted: ReadRule['effect'], matches: typeof deniesCall) =>
    rules.some(
      ({ effect, pattern }) => effect === wanted && calls.some((call) => matches(pattern, call)),
    );
  if (isAbout('ask', deniesCall)) return true;
  return isAbout('allow', allowsCall) ? false : tool.needsApproval(args);
}

/** All that a tool that runs commands may be told to run: which of several it takes, it knows alone. */
function commandsOf(args: JsonObject): readonly (string | readonly string[])[] {
  return commandNames.flatMap<string | readonly string[]>((name) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (typeof value === 'string') return [value];
    return Array.isArray(value) ? [value.map(String)] : [];
  });
}

function budgetsOf(
  tools: readonly Tool[],
  budgets: Readonly<Record<string, number>>,
  aliases: Aliases,
): ReadonlyMap<string, ToolBudget> {
  const found = new Map<string, ToolBudget>();
  for (const [text, calls] of Object.entries(budgets)) {
    const { tool: glob } = parsePattern(text);
    const shared = tools
      .map(({ spec }) => spec.name)
      .filter((name) => familyOf(name, aliases).some((each) => matchGlob(glob, each)));
    // Of two that are about a tool the smaller holds, whatever their order.
    for (const name of shared) {
      if ((found.get(name)?.calls ?? calls) >= calls) found.set(name, { calls, tools: shared });
    }
  }
  return found;
}

function familyOf(name: string, aliases: Aliases): readonly string[] {
  const family = Object.entries(aliases).find(
    ([first, others]) => first === name || others.includes(name),
  );
  return family === undefined ? [name] : [family[0], ...family[1]];
}
