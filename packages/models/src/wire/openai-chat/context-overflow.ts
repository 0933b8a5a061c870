/**
 * How servers of this wire say that a request is larger than the model's window. Words are their
 * error types and codes, sentences parts of their messages.
 */
const words: ReadonlySet<string> = new Set([
  'context_length_exceeded', // OpenAI, Groq, OpenRouter
  'exceed_context_size_error', // llama.cpp
  'string_above_max_length', // OpenAI: one message alone is too long
  'request_too_large',
]);

const sentences: readonly RegExp[] = [
  /maximum context length/i, // OpenAI, vLLM, OpenRouter, DeepSeek
  /context (size|length|window) (has been |was |is )?exceeded/i, // llama.cpp while it writes
  /exceeds? (the |this |its )?(available |maximum |max |model'?s? )*context/i, // llama.cpp, OpenAI, Together
  /larger than the (max|maximum|available) context/i, // llama.cpp, earlier
  /longer than the maximum model length/i, // vLLM
  /reduce the length of (the|your) (messages|prompt|input)/i, // Groq
  /prompt (is )?too long/i, // OpenRouter for Anthropic, Ollama
  /context( the)? overflows/i, // LM Studio
  /context length of (only )?\d+ tokens/i, // LM Studio
  /tokens \+ `?max_new_tokens`? must be/i, // TGI, Together
  /maximum prompt length is \d+/i, // xAI
  // A limit per minute that one request alone breaks: OpenAI and Groq send it as 429 or 413.
  /request too large for model/i,
];

export function isContextOverflow(error: {
  readonly message: string;
  readonly words: readonly string[];
}): boolean {
  return (
    error.words.some((word) => words.has(word)) ||
    sentences.some((sentence) => sentence.test(error.message))
  );
}
