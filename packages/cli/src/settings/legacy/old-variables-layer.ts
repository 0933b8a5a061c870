import type { JsonValue } from '@forge/core';
import type { Config } from '../../config.ts';
import type { ReadLayer } from '../environment-layer.ts';
import { type Kind, oldKeys, providerKeys } from './agent-forge-keys.ts';
import { oldLayer } from './old-layer.ts';
import { type OldSetting, translateOldKeys } from './translate-old-keys.ts';

const prefix = 'AGENT_FORGE_';

/** AGENT_FORGE_{SECTION}_{KEY} as a layer of settings, and AGENT_FORGE_PROVIDERS_{NAME}_{KEY}. */
export function oldVariablesLayer(
  { variablesWith, variable }: Pick<Config, 'variablesWith' | 'variable'>,
  { cwd }: { readonly cwd: string },
): ReadLayer {
  const said = variablesWith(prefix).map((name) => settingOf(name, variable(name) ?? ''));
  return oldLayer(translateOldKeys(said), {
    name: 'environment',
    folder: cwd,
    source: `${prefix}…`,
  });
}

function settingOf(place: string, text: string): OldSetting {
  const [section = '', ...rest] = place.slice(prefix.length).toLowerCase().split('_');
  const key = rest.join('_');
  if (section === 'providers') {
    const own = providerKeys.find((each) => key.endsWith(`_${each}`));
    const provider = own === undefined ? '' : key.slice(0, -own.length - 1);
    if (own !== undefined)
      return { section: `providers.${provider}`, key: own, value: text, place };
  }
  const kind = oldKeys[section]?.[key]?.kind ?? 'text';
  return { section, key, value: readText(text, kind), place };
}

/** What means nothing as its kind stays a text, for the schema to refuse. */
function readText(text: string, kind: Kind): JsonValue {
  switch (kind) {
    case 'text':
      return text;
    case 'switch':
      return /^(?:true|1|yes)$/i.test(text);
    case 'whole':
    case 'number':
      return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  }
}
