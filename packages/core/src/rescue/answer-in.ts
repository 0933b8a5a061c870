import { isJsonObject, type JsonValue } from '../json.ts';
import { argumentRanks, nameRanks, own, ranked } from './call-keys.ts';
import { loosen, type ToolIndex } from './tool-index.ts';

const answers = new Set(['finalanswer', 'directlyanswer', 'directanswer', 'finalresponse']);

/** The pseudo tool of ReAct and Command R that means "no tool": its input is the answer. */
export function answerIn(value: JsonValue | undefined, index: ToolIndex): string | undefined {
  const item = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isJsonObject(item)) return undefined;
  for (const key in item) {
    if (!nameRanks.has(key)) continue;
    const name = own(item, key);
    if (typeof name !== 'string' || name.length > 20) continue;
    if (!answers.has(loosen(name)) || index.resolve(name) !== undefined) continue;
    const [argumentKey] = ranked(item, argumentRanks);
    const input = argumentKey === undefined ? '' : item[argumentKey];
    if (typeof input === 'string') return input;
    const values = isJsonObject(input) ? Object.values(input) : [];
    const [only] = values;
    return values.length === 1 && typeof only === 'string' ? only : '';
  }
  return undefined;
}
