/**
 * Where servers of this wire differ in what they want to be sent. Reading needs no flags: every
 * spelling is understood.
 */
export interface ChatDialect {
  /** OpenAI's reasoning models refuse `max_tokens`; many local servers know nothing else. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** `repeat_penalty` for llama.cpp and Ollama, `repetition_penalty` for vLLM, OpenRouter, Together. */
  readonly repeatPenaltyField: 'repeat_penalty' | 'repetition_penalty';
  /** Where earlier reasoning goes in history; `none` for servers that refuse it. */
  readonly reasoningField: 'reasoning_content' | 'reasoning' | 'reasoning_text' | 'none';
  /** OpenRouter takes a `reasoning` object, the only form with a budget. */
  readonly reasoningSettings: 'reasoning_effort' | 'reasoning';
  /** Ask streams for their usage. Some old servers refuse `stream_options`. */
  readonly asksStreamUsage: boolean;
  /** Join text parts to one string, for chat templates that know no lists. */
  readonly flattensText: boolean;
  /** OpenAI takes images from users only: those in a tool's result follow in a user message. */
  readonly toolResultImages: 'user-message' | 'inline';
  /** Send cache marks. OpenRouter wants them; strict servers refuse unknown fields. */
  readonly sendsCacheControl: boolean;
}

/** What most servers take. */
export const defaultDialect: ChatDialect = {
  maxTokensField: 'max_tokens',
  repeatPenaltyField: 'repeat_penalty',
  reasoningField: 'reasoning_content',
  reasoningSettings: 'reasoning_effort',
  asksStreamUsage: true,
  flattensText: false,
  toolResultImages: 'user-message',
  sendsCacheControl: true,
};
