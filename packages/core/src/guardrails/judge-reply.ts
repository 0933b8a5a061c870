import type { AssistantMessage, AssistantPart, ToolCallPart } from '../messages/message.ts';
import type { ModelReply } from '../models.ts';
import { checkCall, exampleCall, unknownTool } from './check-call.ts';
import { checkOrder, pendingSteps } from './check-order.ts';
import type { Guard } from './create-guard.ts';
import { findLoop } from './find-loop.ts';
import type { Problem } from './problem.ts';
import { loopRounds, type Progress, printCalls } from './progress.ts';
import { type ProposedCall, type ReadReply, readReply } from './read-reply.ts';
import { refuse } from './refuse.ts';
import type { CheckedCall, Mended, Verdict } from './verdict.ts';

/**
 * The guarded turn: what a reply comes to under these rules, given what happened so far.
 * Pure, and total: whatever the model sent, the answer is a verdict. `idPrefix` names calls
 * that came without an id, so it must differ from turn to turn; `takenIds` are those of calls that
 * are still open.
 */
export function judgeReply(
  guard: Guard,
  progress: Progress,
  reply: ModelReply,
  idPrefix: string,
  takenIds?: Iterable<string>,
): Verdict {
  if (reply.finish === 'content_filter') {
    return {
      kind: 'fatal',
      reason: 'content_filter',
      explanation: 'The provider withheld the reply (content filter). Rephrase the request.',
      problems: [],
    };
  }
  const read = readReply(guard, reply, idPrefix, takenIds);
  return read.calls.length === 0
    ? judgeText(guard, progress, reply, read)
    : judgeCalls(guard, progress, reply, read);
}

function judgeCalls(guard: Guard, progress: Progress, reply: ModelReply, read: ReadReply): Verdict {
  const problems = new Map<string, Problem>();
  const most = guard.limits.callsPerTurn;
  if (read.calls.length > most) {
    const tooMany: Problem = { kind: 'too_many_calls', count: read.calls.length, most };
    // The history keeps none of them, so that it stays within bounds too.
    const bare = { ...read, calls: [] };
    return refuse(guard, progress, {
      kind: 'retry',
      drain: 'retries',
      read: bare,
      problems: new Map([['', tooMany]]),
    });
  }
  const sound: (ProposedCall & { args: CheckedCall['args'] })[] = [];
  for (const call of read.calls) {
    if (call === read.calls.at(-1) && isCut(reply, call)) {
      problems.set(call.id, { kind: 'cut_off', tool: call.name });
      continue;
    }
    const checked = checkCall(guard, call);
    if (checked.ok) {
      const { name } = checked.tool.spec;
      const forbidden = againstChoice(guard, name);
      if (forbidden !== undefined) problems.set(call.id, forbidden);
      else sound.push({ ...call, name, args: checked.args, mended: checked.mended });
    } else problems.set(call.id, checked.problem);
  }
  if (problems.size > 0) {
    return refuse(guard, progress, { kind: 'retry', drain: 'retries', read, problems });
  }
  const order = checkOrder(guard, progress, sound);
  if (order.problems.size > 0) {
    const [first] = order.problems.values();
    const drain = first?.kind === 'steps_missing' ? 'premature' : 'prerequisites';
    return refuse(guard, progress, { kind: 'blocked', drain, read, problems: order.problems });
  }
  if (guard.switches.repetition && closesLoop(progress, sound)) {
    const tools = [...new Set(sound.map((call) => call.name))];
    const looping = new Map(read.calls.map((call) => [call.id, { kind: 'loop', tools } as const]));
    return refuse(guard, progress, { kind: 'blocked', drain: 'repeats', read, problems: looping });
  }
  const calls = sound.map((call, index) => {
    const tool = guard.tools.get(call.name);
    return {
      id: call.id,
      name: call.name,
      args: call.args,
      after: order.after[index] ?? [],
      facts: order.facts[index] ?? [],
      terminal: guard.terminalTools.includes(call.name),
      needsApproval: tool?.needsApproval(call.args) ?? true,
      triggers: tool?.triggers ?? true,
      external: tool?.run === undefined,
    };
  });
  const message: AssistantMessage = {
    role: 'assistant',
    content: [...read.rest, ...sound.map(toPart)],
  };
  const { text: said, source, format } = read;
  return {
    kind: 'execute',
    calls,
    message,
    text: said,
    source,
    format,
    mended: mendedOf(sound, read),
  };
}

/** A call the request did not leave open. Steps that must come before the chosen tool are. */
function againstChoice({ toolChoice, rememberedTools }: Guard, name: string): Problem | undefined {
  if (toolChoice === 'none') return { kind: 'not_chosen', tool: name };
  if (typeof toolChoice !== 'object' || toolChoice.tool === name) return undefined;
  if (rememberedTools.has(name)) return undefined;
  return { kind: 'not_chosen', tool: name, only: toolChoice.tool };
}

function closesLoop({ recent }: Progress, calls: Parameters<typeof printCalls>[0]): boolean {
  // Printing the calls costs; before enough turns there is nothing to compare them with.
  return recent.length + 1 >= loopRounds && findLoop(recent, printCalls(calls)) > 0;
}

function judgeText(guard: Guard, progress: Progress, reply: ModelReply, read: ReadReply): Verdict {
  const problem = textProblem(guard, reply, read);
  if (problem !== undefined) {
    return refuse(guard, progress, {
      kind: 'retry',
      drain: 'retries',
      read,
      problems: new Map([['', problem]]),
    });
  }
  // Where calls are forbidden, no step could be done now: text is all there can be.
  const missing = guard.toolChoice === 'none' ? [] : pendingSteps(guard, progress);
  if (missing.length > 0) {
    const premature: Problem = { kind: 'steps_missing', missing };
    return refuse(guard, progress, {
      kind: 'blocked',
      drain: 'premature',
      read,
      problems: new Map([['', premature]]),
    });
  }
  const wanted = wantedTools(guard);
  // What only its wire understands may be a call of a tool that is none of ours.
  if (wanted !== undefined && !read.rest.some(isOpaque)) {
    const noCall: Problem = { kind: 'no_call', wanted };
    return refuse(guard, progress, {
      kind: 'retry',
      drain: 'retries',
      read,
      problems: new Map([['', noCall]]),
    });
  }
  const message: AssistantMessage = { role: 'assistant', content: [...read.rest] };
  return { kind: 'answer', message, text: read.text, source: 'text', mended: [] };
}

/** What is wrong with a reply that holds no usable call, whatever the rules allow. */
function textProblem(guard: Guard, reply: ModelReply, read: ReadReply): Problem | undefined {
  if (read.cutCall !== undefined) return { kind: 'cut_off', tool: read.cutCall };
  for (const { name, reason } of read.rejected) {
    const tool = guard.tools.get(name);
    if (reason === 'unknown tool') return unknownTool(guard, name);
    if (reason !== 'inside an explanation' && tool !== undefined) {
      return { kind: 'unusable_call', tool: name, reason, example: exampleCall(tool) };
    }
  }
  if (reply.finish === 'length') return { kind: 'cut_off' };
  if (read.text.trim() === '' && !read.rest.some(isOpaque)) return { kind: 'empty_reply' };
  return undefined;
}

function isOpaque(part: AssistantPart): boolean {
  return part.type === 'opaque';
}

/** The tools a reply has to call, or undefined where plain text is an answer. */
function wantedTools(guard: Guard): readonly string[] | undefined {
  if (typeof guard.toolChoice === 'object') return [guard.toolChoice.tool];
  if (guard.toolChoice === 'none') return undefined;
  if (guard.terminalTools.length > 0) return guard.terminalTools;
  return guard.toolChoice === 'required' && guard.names.length > 0 ? guard.names : undefined;
}

/**
 * Arguments that lack their end when the length limit struck: more of them may have been coming,
 * so a missing closer is not mended here.
 */
function isCut(reply: ModelReply, call: ProposedCall): boolean {
  if (reply.finish !== 'length') return false;
  if (typeof call.args !== 'string') return call.mended.includes('missing_closer');
  try {
    JSON.parse(call.args);
    return false;
  } catch {
    return true;
  }
}

function toPart(call: ProposedCall & { args: CheckedCall['args'] }): ToolCallPart {
  const part: ToolCallPart = {
    ...call.part,
    type: 'tool_call',
    id: call.id,
    name: call.name,
    args: call.args,
  };
  const original = call.argsText ?? (typeof call.part?.args === 'string' ? call.part.args : '');
  // Past 2^53 a number has lost digits by now; the text still has them.
  if (/\d{16}/.test(original) && call.mended.length === 0) part.argsText = original;
  return part;
}

const nothing: readonly Mended[] = [];

function mendedOf(calls: readonly ProposedCall[], read: ReadReply): readonly Mended[] {
  const mended = calls.flatMap((call) => call.mended.map((what) => ({ callId: call.id, what })));
  if (read.cutCall !== undefined) {
    mended.push({ callId: '', what: `a further call to ${read.cutCall} was cut off and left out` });
  }
  return mended.length === 0 ? nothing : mended;
}
