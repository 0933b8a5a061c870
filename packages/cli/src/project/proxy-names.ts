/** The words of the command line and of `forge.yaml`, in one place. Loads nothing. */

export const backendKinds = [
  'llamaserver',
  'llamafile',
  'ollama',
  'vllm',
  'openai',
  'anthropic',
  'gemini',
] as const;
export type BackendName = (typeof backendKinds)[number];

export const wireNames = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'ollama',
] as const;
export type WireName = (typeof wireNames)[number];

export const budgetModes = ['backend', 'manual', 'forge-full', 'forge-fast'] as const;
export type BudgetModeName = (typeof budgetModes)[number];
