import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startBackend } from '@forge/models';
import { findLlamaServer } from './find-llama-server.ts';

/** The model's own template leaves tools out; this one shows them. */
const template = fileURLToPath(new URL('./tinyllama-tools.jinja', import.meta.url));

export interface TestServer {
  readonly url: string;
  /** For `createModel`. */
  readonly modelName: string;
  close(): Promise<void>;
}

/** The test model behind a real llama-server. A string says why that cannot be had here. */
export async function startTestServer(options: {
  readonly cache: string;
  /** The GGUF file. */
  readonly weights: string;
  readonly threads: number;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}): Promise<TestServer | string> {
  const { cache, weights, threads, say, signal } = options;
  const found = await findLlamaServer({ cache, files: [weights, template], say });
  if (typeof found === 'string') return found;
  const [model = weights, chatTemplate = template] = found.files;
  const stateFolder = join(cache, 'backends');
  const backend = await startBackend({
    stateFolder,
    kind: 'llamaserver',
    binary: found.binary,
    model,
    contextLength: 2_048,
    parallel: 1,
    gpuLayers: 0,
    extraFlags: [
      ...['--threads', String(threads)],
      ...['--chat-template-file', chatTemplate],
      // Else the server refuses grammars for this model.
      ...['--override-kv', 'tokenizer.ggml.add_space_prefix=bool:false'],
    ],
    signal,
  }).catch(async (error) => {
    await found.remove();
    throw error;
  });
  say(`llama-server listens on ${backend.url}, context ${backend.contextLength}.`);
  return {
    url: backend.url,
    modelName: backend.modelName,
    async close() {
      await backend.stop();
      await rm(stateFolder, { recursive: true, force: true });
      await found.remove();
    },
  };
}
