import type { Gpu, Hardware } from './hardware.ts';
import { type Machine, thisMachine } from './machine.ts';
import { parseAmdCard } from './parse-amd-sysfs.ts';
import { parseAppleSysctl, sysctlArgs } from './parse-apple-sysctl.ts';
import { leastOf, parseCgroupLimit, parseMeminfo } from './parse-memory.ts';
import { nvidiaSmiArgs, parseNvidiaSmi } from './parse-nvidia-smi.ts';

/** What there is to run models on. What cannot be found out is left out; it never rejects. */
export async function detectHardware(machine: Machine = thisMachine()): Promise<Hardware> {
  if (machine.platform === 'darwin') {
    return parseAppleSysctl((await machine.run('sysctl', sysctlArgs)) ?? '');
  }
  const ramBytes = await readRam(machine);
  const nvidia = await machine.run('nvidia-smi', nvidiaSmiArgs);
  const gpus = [...parseNvidiaSmi(nvidia ?? '', ramBytes), ...(await readAmd(machine))];
  return { gpus, ramBytes };
}

async function readRam(machine: Machine): Promise<number | undefined> {
  const [meminfo, version2, version1] = await Promise.all(
    [
      '/proc/meminfo',
      '/sys/fs/cgroup/memory.max',
      '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    ].map((path) => machine.read(path)),
  );
  return leastOf(
    parseMeminfo(meminfo ?? ''),
    parseCgroupLimit(version2),
    parseCgroupLimit(version1),
  );
}

async function readAmd(machine: Machine): Promise<Gpu[]> {
  const root = '/sys/class/drm';
  const cards = (await machine.list(root)).filter((name) => /^card\d+$/.test(name)).sort();
  const found = await Promise.all(
    cards.map(async (card) => {
      const read = (name: string) => machine.read(`${root}/${card}/device/${name}`);
      return parseAmdCard({
        card,
        mem_info_vram_total: await read('mem_info_vram_total'),
        mem_info_gtt_total: await read('mem_info_gtt_total'),
        mem_info_vram_vendor: await read('mem_info_vram_vendor'),
      });
    }),
  );
  return found.flat();
}
