import { ForgeError } from '@forge/core';
import { isLocalEngine, type LocalEngine } from './engine.ts';

/** Kept in a variable, so that nothing resolves it before someone asks for it. */
const engineName: string = 'node-llama-cpp';

/** The engine, which users install themselves: it is large, native, and few need it. */
export async function loadEngine(
  load: () => Promise<unknown> = () => import(engineName),
): Promise<LocalEngine> {
  let module: unknown;
  try {
    module = await load();
  } catch (cause) {
    throw new ForgeError(
      'invalid_options',
      'Local models need node-llama-cpp, which could not be loaded. Install it beside Forge: "npm install node-llama-cpp@3". Or use a server: createModel("llamacpp:http://127.0.0.1:8080").',
      { cause },
    );
  }
  if (isLocalEngine(module)) return module;
  throw new ForgeError(
    'invalid_options',
    'The node-llama-cpp that was found is not version 3. Install that one: "npm install node-llama-cpp@3".',
  );
}
