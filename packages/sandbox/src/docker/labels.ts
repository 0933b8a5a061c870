import { hostname } from 'node:os';
import * as z from 'zod';
import { fateOf, ownIdentity, parseIdentity } from '../owner/process-identity.ts';

const own = 'forge.label.';

/** What a container says about itself: whose it is, and the labels it was given. */
export function writeLabels(
  id: string,
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const given = Object.entries(labels).map(([name, value]) => [`${own}${name}`, value]);
  return {
    ...Object.fromEntries(given),
    'forge.sandbox': id,
    'forge.owner': ownIdentity(),
    'forge.host': hostname(),
  };
}

const labelsSchema = z.object({
  'forge.sandbox': z.string(),
  'forge.owner': z.string(),
  'forge.host': z.string(),
});

export interface LabelledContainer {
  readonly id: string;
  /** `unknown`: of another machine, or where we cannot look. */
  readonly owner: 'alive' | 'dead' | 'unknown';
  readonly labels: Readonly<Record<string, string>>;
}

/** Undefined for a container that is not ours. */
export function readLabels(
  labels: Readonly<Record<string, string>>,
): LabelledContainer | undefined {
  const read = labelsSchema.safeParse(labels).data;
  if (read === undefined) return undefined;
  const identity = parseIdentity(read['forge.owner']);
  const here = read['forge.host'] === hostname() && identity !== undefined;
  const given = Object.entries(labels).filter(([name]) => name.startsWith(own));
  return {
    id: read['forge.sandbox'],
    owner: here ? fateOf(identity) : 'unknown',
    labels: Object.fromEntries(given.map(([name, value]) => [name.slice(own.length), value])),
  };
}
