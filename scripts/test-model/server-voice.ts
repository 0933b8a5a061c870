import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createModel, startBackend } from '@forge/models';
import { findLlamaServer } from './find-llama-server.ts';
import type { OpenVoice } from './voice.ts';

/** The model's own template leaves tools out; this one shows them. */
const template = fileURLToPath(new URL('./tinyllama-tools.jinja', import.meta.url));

/** The model behind a real llama-server, started as a backend of Forge. */
export const serverVoice: OpenVoice = async (options) => {
  const { cache, weights, settings, threads, say, signal } = options;
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
  });
  say(`llama-server listens on ${backend.url}, context ${backend.contextLength}.`);
  const client = createModel(backend.modelName, { settings });
  return {
    client,
    async close() {
      await backend.stop();
      await rm(stateFolder, { recursive: true, force: true });
      await found.remove();
    },
  };
};
