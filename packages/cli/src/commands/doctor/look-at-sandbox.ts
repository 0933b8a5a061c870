import type { Availability } from '@forge/sandbox';
import type { Settings } from '../../settings/settings-schema.ts';
import { makers } from '../sandbox/makers.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const looked = ['docker', 'bubblewrap'] as const;

export type Probes = Readonly<Record<(typeof looked)[number], Availability>>;

/** What can hold a sandbox here. */
export async function probeSandboxes(signal: AbortSignal): Promise<Probes> {
  const make = await makers();
  const probe = async (name: (typeof looked)[number]): Promise<Availability> => {
    const backend = make[name]?.();
    if (backend === undefined) return { available: false, problem: 'There is none.', fix: '' };
    try {
      return await backend.probe(signal);
    } finally {
      await backend.close();
    }
  };
  const [docker, bubblewrap] = await Promise.all(looked.map(probe));
  const none = { available: false, problem: 'It was not tried.', fix: '' } as const;
  return { docker: docker ?? none, bubblewrap: bubblewrap ?? none };
}

/** The one the settings ask for has to work; of the others it is told what they are. */
export function sandboxFindings(
  probes: Probes,
  { backend, image, network }: Settings['sandbox'],
): readonly Finding[] {
  const working = looked.filter((name) => probes[name].available);
  const needed = backend === 'auto' ? (working[0] ?? 'none') : backend;
  const others = looked.map((name) => describe(name, probes[name], { isNeeded: name === needed }));
  if (needed === 'process' && network !== 'full') {
    const what = 'plain processes cannot be held back from the network (sandbox.network)';
    const fix = 'Set sandbox.network to full, or sandbox.backend to auto.';
    return [fail('sandbox', what, fix), ...others];
  }
  if (needed === 'process') {
    const what = 'plain processes: they hold nothing that a command does';
    return [
      warn('sandbox', what, 'Set sandbox.backend to auto for work you do not trust.'),
      ...others,
    ];
  }
  if (needed === 'none') {
    const fixes = looked.map((name) => fixOf(probes[name])).filter((fix) => fix !== '');
    const fix = `${fixes.join(' Or: ')} If you trust all that will run: sandbox.backend: process with sandbox.network: full.`;
    return [fail('sandbox', 'neither docker nor bubblewrap works here', fix), ...others];
  }
  const probe = probes[needed];
  if (!probe.available)
    return [fail('sandbox', `${needed}: ${probe.problem}`, probe.fix), ...others];
  const where = image === undefined || needed !== 'docker' ? '' : `, image ${image}`;
  return [ok('sandbox', `${needed}${where} (sandbox.backend: ${backend})`), ...others];
}

const fixOf = (probe: Availability) => (probe.available ? '' : probe.fix);

function describe(
  name: string,
  probe: Availability,
  { isNeeded }: { readonly isNeeded: boolean },
): Finding {
  if (!probe.available) {
    return isNeeded ? fail(name, probe.problem, probe.fix) : warn(name, probe.problem, probe.fix);
  }
  return probe.cannot.length === 0 || !isNeeded
    ? ok(name, probe.version)
    : warn(name, `${probe.version}; ${probe.cannot.join('; ')}`);
}
