export {
  type Agent,
  type AgentOptions,
  type ContextOptions,
  defineAgent,
  type Judgement,
} from './agents/define-agent.ts';
export { defineProgram, type ProgramOptions } from './agents/define-program.ts';
export { defaultLimits, type Limits } from './agents/limits.ts';
export type { Program, ProgramCall, ProgramStep, ProgramView } from './agents/program.ts';
export { type Calibration, calibrate, uncalibrated } from './context/calibration.ts';
export type { Change, CompactionPlan, CompactionStrategy } from './context/compaction.ts';
export { contextWarning, defaultWarnings, type WarningStep } from './context/context-warning.ts';
export { cutResult } from './context/cut-result.ts';
export type { ContextEntry, EntryKind } from './context/entry.ts';
export { estimateMessageTokens, estimateToolTokens } from './context/estimate-tokens.ts';
export { noCompaction } from './context/no-compaction.ts';
export { pairingViolations } from './context/pairing-rules.ts';
export { type ContextDecision, planCompaction } from './context/plan-compaction.ts';
export { renderContext } from './context/render-context.ts';
export { type Budget, type BudgetMode, resolveBudget } from './context/resolve-budget.ts';
export type { ReasoningReplay } from './context/sent-window.ts';
export { slidingWindow } from './context/sliding-window.ts';
export { applySummary, prepareSummary, type Summary } from './context/summary.ts';
export { tieredCompaction } from './context/tiered-compaction.ts';
export { ForgeError, type ForgeErrorCode, messageOf } from './errors.ts';
export { createGuard, type Guard, type GuardOptions } from './guardrails/create-guard.ts';
export {
  type CallResult,
  createGuardrails,
  type Guardrails,
  type Recorded,
} from './guardrails/create-guardrails.ts';
export { judgeReply } from './guardrails/judge-reply.ts';
export { nearestNames } from './guardrails/nearest-names.ts';
export { nudgeTags, nudgeText } from './guardrails/nudge-text.ts';
export { type Problem, type Tone, toneOf } from './guardrails/problem.ts';
export { freshProgress, noteAccepted, noteRefusal, type Progress } from './guardrails/progress.ts';
export { progressFromHistory } from './guardrails/progress-from-history.ts';
export { mayRescue } from './guardrails/read-reply.ts';
export { allOff, allOn, type Switches } from './guardrails/switches.ts';
export type {
  CheckedCall,
  FatalReason,
  Mended,
  Refusal,
  Taken,
  Verdict,
} from './guardrails/verdict.ts';
export { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from './json.ts';
export { decide } from './kernel/decide.ts';
export type { Effect } from './kernel/effects.ts';
export {
  type EndReason,
  eventSchema,
  type Happening,
  parseEvent,
  type RunEvent,
  type ToolOutcome,
} from './kernel/events.ts';
export { evolve, fold } from './kernel/evolve.ts';
export { openCall, openCalls } from './kernel/open-calls.ts';
export type { Outcome } from './kernel/outcome.ts';
export { programView } from './kernel/program-view.ts';
export { recover } from './kernel/recover.ts';
export { freezeState, snapshotVersion, thawState } from './kernel/snapshot.ts';
export {
  type CallState,
  initialState,
  type Output,
  type Phase,
  type RunState,
  type Spent,
} from './kernel/state.ts';
export { withdrawQuestions } from './kernel/withdraw-questions.ts';
export * from './messages/message.ts';
export type {
  FinishReason,
  Model,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ToolChoice,
  ToolSpec,
  Usage,
} from './models.ts';
export { createRedactor, type Redactor, type RedactorOptions } from './redact/create-redactor.ts';
export { holdsRedacted, redactHappening, redactJson, redactParts } from './redact/redact-value.ts';
export { mendJson } from './rescue/mend-json.ts';
export { createRescueStream } from './rescue/rescue-stream.ts';
export { rescueToolCalls } from './rescue/rescue-tool-calls.ts';
export type { RejectedCall, RescuedCall, RescueResult, RescueTool } from './rescue/rescue-types.ts';
export { splitReasoning } from './rescue/split-reasoning.ts';
export { beginRun } from './run/begin-run.ts';
export { performSummary } from './run/perform-summary.ts';
export { type CallContext, performTool } from './run/perform-tool.ts';
export { recordable } from './run/recordable.ts';
export { run } from './run/run.ts';
export type {
  ApprovalDecision,
  ApprovalRequest,
  QuestionRequest,
  RunOptions,
  RunResult,
} from './run/run-types.ts';
export { untilAborted } from './run/until-aborted.ts';
export { type ArgumentsCheck, checkArguments, type Repair } from './schema/check-arguments.ts';
export { type CompiledSchema, compileSchema, type SchemaIssue } from './schema/compile-schema.ts';
export { exampleFromSchema } from './schema/example-from-schema.ts';
export type { JsonSchema } from './schema/json-schema.ts';
export { createSchemaCache } from './schema/schema-cache.ts';
export {
  createSlot,
  type Hold,
  type HoldOptions,
  type Slot,
  type SlotOptions,
} from './slot/create-slot.ts';
export { countHidden, neutralise } from './text/neutralise.ts';
export type { AskPerson, PersonAnswer, PersonQuestion, PersonRequest } from './tools/ask-person.ts';
export {
  type AnsweredBy,
  defineTool,
  type Prerequisite,
  type Tool,
  type ToolBudget,
  type ToolContext,
} from './tools/define-tool.ts';
export { externalTool } from './tools/external-tool.ts';
export { ToolOutput } from './tools/tool-output.ts';
export { ToolResolutionError } from './tools/tool-resolution-error.ts';
