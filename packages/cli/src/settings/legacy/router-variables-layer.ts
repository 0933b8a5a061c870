import type { Config } from '../../config.ts';
import type { ReadLayer } from '../environment-layer.ts';

/** What each provider is called here, and the variable that moves it. */
const providers = {
  llama_cpp: { name: 'llamacpp', address: 'LLAMA_CPP_URL', tail: /$/ },
  ollama: { name: 'ollama', address: 'OLLAMA_URL', tail: /\/api\/generate\/?$/ },
  openrouter: { name: 'openrouter', address: 'OPENROUTER_URL', tail: /\/chat\/completions\/?$/ },
} as const;

type Provider = keyof typeof providers;
const isProvider = (name: string): name is Provider => Object.hasOwn(providers, name);

/** Those without a counterpart, and what there is instead. */
const others: Readonly<Record<string, string>> = {
  MAX_STEPS: 'turns of an agent are agents.<name>.max_iterations',
  ENABLED_TOOLS: 'the tools that agents have are tools.enabled',
  MEMORY_ENABLED: 'what agents remember is kept in the store',
  MEMORY_FILE: 'what agents remember is kept in the store',
  MEMORY_MAX_HISTORY: 'what is sent again follows the context window of the model',
  SHOW_DEBUG: 'write --verbose behind the command',
};

/**
 * The router's variables as the weakest layer: their names are not Forge's own, so nothing that was
 * written for Forge gives way to them. They count once FORGE_PROVIDER or LLM_MODEL is set.
 */
export function routerVariablesLayer(
  { variable }: Pick<Config, 'variable'>,
  { cwd }: { readonly cwd: string },
): ReadLayer {
  const asked = variable('FORGE_PROVIDER');
  const model = variable('LLM_MODEL');
  const nothing: ReadLayer = { layers: [], faults: [], notices: [] };
  if (asked === undefined && model === undefined) return nothing;
  const provider = asked?.toLowerCase() ?? 'llama_cpp';
  if (!isProvider(provider)) {
    const known = Object.keys(providers).join(', ');
    const fault = `FORGE_PROVIDER takes one of ${known}, not "${asked}". Or leave it out and set FORGE_MODEL.`;
    return { ...nothing, faults: [fault] };
  }
  const { name, address, tail } = providers[provider];
  const place = model === undefined ? 'FORGE_PROVIDER' : 'LLM_MODEL';
  const value = { model: modelName(name, variable(address)?.replace(tail, ''), model) };
  const read = ['FORGE_PROVIDER', 'LLM_MODEL', address].filter((each) => variable(each));
  const lost = Object.entries(others).flatMap(([each, instead]) =>
    variable(each) === undefined ? [] : [`  not read: ${each}: ${instead}`],
  );
  const notice = [
    `${read.join(', ')}: still read. Set this instead:`,
    `  FORGE_MODEL=${value.model}`,
    ...lost,
  ].join('\n');
  const layer = { name: 'environment', value, placeOf: () => place, folder: cwd } as const;
  return { layers: [layer], faults: [], notices: [notice] };
}

/** The router's "default" was whatever the server had. */
function modelName(provider: string, address: string | undefined, model = 'default'): string {
  const named = model === 'default' && provider === 'llamacpp' ? '' : model;
  if (address === undefined) return `${provider}:${named}`;
  return named === '' ? `${provider}:${address}` : `${provider}:${address}#${named}`;
}
