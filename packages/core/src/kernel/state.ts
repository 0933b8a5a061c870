import { type AppendList, emptyList } from '../append-list.ts';
import { type Calibration, uncalibrated } from '../context/calibration.ts';
import type { ContextEntry } from '../context/entry.ts';
import type { ReasoningReplay } from '../context/sent-window.ts';
import { freshProgress, type Progress } from '../guardrails/progress.ts';
import type { CheckedCall } from '../guardrails/verdict.ts';
import type { JsonObject } from '../json.ts';
import type { ImagePart, TextPart, UserMessage } from '../messages/message.ts';
import type { ModelReply } from '../models.ts';
import type { EndReason, ToolOutcome } from './events.ts';

/** Where one call stands. */
export interface CallState {
  readonly call: CheckedCall;
  /** The turn whose reply made it. */
  readonly turn: number;
  readonly status: 'waiting' | 'asked' | 'approved' | 'refused' | 'running' | 'done';
  /** Set when it is done. */
  readonly outcome?: ToolOutcome;
  readonly content?: readonly (TextPart | ImagePart)[];
  /** What runs: the proposed arguments, or those a person put in their place. */
  readonly args: JsonObject;
  /** The questions it has open: the numbers of the events that asked them. */
  readonly asks?: readonly number[];
  /** Why a person refused it. */
  readonly refusal?: string;
  /** Refused because nobody decided in time. */
  readonly expired?: boolean;
}

export type Phase =
  /** Nothing has happened. */
  | { readonly name: 'new' }
  /** The model may be asked. */
  | { readonly name: 'ready' }
  | { readonly name: 'summarizing' }
  | { readonly name: 'calling' }
  | { readonly name: 'replied'; readonly reply: ModelReply }
  | { readonly name: 'acting'; readonly calls: readonly CallState[] }
  /** A terminal tool succeeded, or an answer stands. */
  | { readonly name: 'done'; readonly reason: 'answered' | 'terminal_tool' }
  /** Nothing to do until input comes. */
  | { readonly name: 'idle' }
  | { readonly name: 'failing'; readonly error: string }
  | {
      readonly name: 'finished';
      readonly status: 'completed' | 'failed' | 'cancelled';
      readonly reason: EndReason;
      readonly explanation: string;
    };

/** Everything a decision needs, folded from the events. JSON-able but for the shared window buffer. */
export interface RunState {
  readonly runId: string;
  readonly agent: string;
  readonly seq: number;
  /** Later by as long as it was paused or over, so that what has passed since is the time it had. */
  readonly startedAt: number;
  readonly lastAt: number;
  readonly phase: Phase;
  /** Model turns asked for so far. */
  readonly turn: number;
  /** What would be sent to the model. */
  readonly window: AppendList<ContextEntry>;
  /** The estimate of the window, kept as it grows. */
  readonly windowTokens: number;
  readonly nextEntry: number;
  /** Entries before this one have been sent at least once. */
  readonly sentUpTo: number;
  readonly budget: number;
  readonly reasoningReplay: ReasoningReplay;
  readonly calibration: Calibration;
  /** Estimate of the request under way, to be corrected by the usage that comes back. */
  readonly requestEstimate: number;
  readonly warningLevel: number;
  /** The warning the next request carries, if one fired. */
  readonly warning?: string;
  /** Input that came while calls were running. */
  readonly inbox: readonly UserMessage[];
  /** Calls of earlier turns the run went on without. */
  readonly deferred: readonly CallState[];
  /** A late result came while the run was busy: the model has to see it. */
  readonly hasNews: boolean;
  readonly paused: boolean;
  /** When it was paused: that time does not count. */
  readonly pausedAt?: number | undefined;
  /** The turn when somebody last said something. */
  readonly turnOfInput: number;
  readonly progress: Progress;
  /** How often each tool was started. */
  readonly toolRuns: Readonly<Record<string, number>>;
  readonly usage: Spent;
  /** The summariser failed in this run: compaction goes on without it. */
  readonly summaryFailed?: boolean;
  readonly output?: Output;
  /** When it ended, the last time it did. */
  readonly endedAt?: number;
}

/** What the run came to: the text of the answer, or a terminal tool's call and the text it returned. */
export interface Output {
  readonly text: string;
  readonly call?: { readonly name: string; readonly args: JsonObject };
}

export interface Spent {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
  readonly cost: number;
}

export const initialState: RunState = {
  runId: '',
  agent: '',
  seq: 0,
  startedAt: 0,
  lastAt: 0,
  phase: { name: 'new' },
  turn: 0,
  window: emptyList(),
  windowTokens: 0,
  nextEntry: 1,
  sentUpTo: 1,
  budget: 0,
  reasoningReplay: 'last',
  calibration: uncalibrated,
  requestEstimate: 0,
  warningLevel: 0,
  inbox: [],
  deferred: [],
  hasNews: false,
  paused: false,
  turnOfInput: 0,
  progress: freshProgress,
  toolRuns: {},
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0, cost: 0 },
};
