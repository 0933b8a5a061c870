import type { ProviderName } from '@forge/models';
import type { BackendName, WireName } from '../../project/proxy-names.ts';

/** What a server turned out to be. */
export type ServerKind = BackendName | 'lmstudio' | 'unknown';

/** How a kind is called, spoken to and asked. */
export interface KindRow {
  readonly label: string;
  /** Most clients speak this wire too, and then a clean reply is passed on byte for byte. */
  readonly wire: WireName;
  /** The provider of `createModel` that knows how to ask for its context window. */
  readonly provider: ProviderName;
}

export const serverKinds: Readonly<Record<ServerKind, KindRow>> = {
  llamaserver: { label: 'llama-server', wire: 'openai-chat', provider: 'llamacpp' },
  llamafile: { label: 'llamafile', wire: 'openai-chat', provider: 'llamafile' },
  ollama: { label: 'Ollama', wire: 'openai-chat', provider: 'ollama' },
  vllm: { label: 'vLLM', wire: 'openai-chat', provider: 'vllm' },
  lmstudio: { label: 'LM Studio', wire: 'openai-chat', provider: 'lmstudio' },
  openai: { label: 'OpenAI API', wire: 'openai-chat', provider: 'openai' },
  anthropic: { label: 'Anthropic API', wire: 'anthropic-messages', provider: 'anthropic' },
  gemini: { label: 'Gemini API', wire: 'gemini', provider: 'gemini' },
  unknown: { label: 'a server', wire: 'openai-chat', provider: 'openai-compatible' },
};
