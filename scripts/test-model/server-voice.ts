import { createModel } from '@forge/models';
import { startTestServer } from './start-test-server.ts';
import type { OpenVoice } from './voice.ts';

/** The model behind a real llama-server, started as a backend of Forge. */
export const serverVoice: OpenVoice = async (options) => {
  const server = await startTestServer(options);
  if (typeof server === 'string') return server;
  const { modelName, close } = server;
  return { client: createModel(modelName, { settings: options.settings }), close };
};
