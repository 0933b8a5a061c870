import { stringify } from 'yaml';
import { explainIssues } from '../../project/explain-issues.ts';
import type { ReadLayer } from '../environment-layer.ts';
import { settingsJsonSchema } from '../json-schema.ts';
import type { LayerName } from '../layer.ts';
import { settingsSchema } from '../settings-schema.ts';
import type { Translated } from './translate-old-keys.ts';

/** Translated settings as a layer: checked, and with a notice of what to write instead. */
export function oldLayer(
  { value, places, lost }: Translated,
  {
    name,
    folder,
    source,
  }: {
    readonly name: LayerName;
    readonly folder: string;
    /** What is read in its old form. */
    readonly source: string;
  },
): ReadLayer {
  const placeOf = (path: readonly PropertyKey[]) => {
    const dotted = path.map(String).join('.');
    const from = [...places].find(([said]) => dotted === said || dotted.startsWith(`${said}.`));
    return from?.[1] ?? source;
  };
  const { error } = settingsSchema.safeParse(value);
  const faults = explainIssues(error?.issues ?? [], { schema: settingsJsonSchema(), value });
  const instead = stringify(value, { lineWidth: 0 }).trimEnd().replace(/^/gm, '  ');
  const notice = [
    `${source} is still read. Write this to forge.yaml instead:`,
    places.size > 0 ? instead : '  (nothing of it has a counterpart)',
    ...lost.map((line) => `  not read: ${line}`),
  ];
  return {
    layers: [{ name, value, placeOf, folder }],
    faults: faults.map(({ path, message }) => `${placeOf(path)}: ${message}`),
    notices: places.size + lost.length === 0 ? [] : [notice.join('\n')],
  };
}
