import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { detectHardware } from './detect-hardware.ts';
import { gpuMemoryBytes } from './hardware.ts';
import { type Machine, thisMachine } from './machine.ts';
import { parseAmdCard } from './parse-amd-sysfs.ts';
import { parseAppleSysctl } from './parse-apple-sysctl.ts';
import { parseCgroupLimit, parseMeminfo } from './parse-memory.ts';
import { parseNvidiaSmi } from './parse-nvidia-smi.ts';
import { suggestContext } from './suggest-context.ts';

const gibibyte = 1024 ** 3;

/** A machine that has those files and says those things. */
function machine({
  platform = 'linux',
  files = {},
  programs = {},
}: {
  platform?: NodeJS.Platform;
  files?: Record<string, string>;
  programs?: Record<string, string>;
}): Machine {
  return {
    platform,
    run: async (program) => programs[program],
    read: async (path) => files[path],
    list: async (folder) => [
      ...new Set(
        Object.keys(files)
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''),
      ),
    ],
  };
}

const meminfo = 'MemTotal:       65536000 kB\nMemFree:        1234 kB\n';

test('all NVIDIA GPUs are counted', async () => {
  const hardware = await detectHardware(
    machine({
      files: { '/proc/meminfo': meminfo },
      programs: { 'nvidia-smi': 'NVIDIA GeForce RTX 4090, 24564\nNVIDIA RTX A6000, 49140\n' },
    }),
  );
  assert.deepEqual(
    hardware.gpus.map(({ name, unified }) => [name, unified]),
    [
      ['NVIDIA GeForce RTX 4090', false],
      ['NVIDIA RTX A6000', false],
    ],
  );
  assert.equal(gpuMemoryBytes(hardware), (24564 + 49140) * 1024 ** 2);
  assert.equal(suggestContext({ hardware }), 262_144);
});

test('an NVIDIA GPU without memory of its own has that of the machine', () => {
  const ram = 128 * gibibyte;
  assert.deepEqual(parseNvidiaSmi('NVIDIA GB10, [N/A]\n', ram), [
    { vendor: 'nvidia', name: 'NVIDIA GB10', memoryBytes: ram, unified: true },
  ]);
  assert.deepEqual(parseNvidiaSmi('NVIDIA GB10, [N/A]\n', undefined), []);
});

test('what nvidia-smi says when it fails is no GPU', () => {
  const said = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n";
  assert.deepEqual(parseNvidiaSmi(said, gibibyte), []);
  assert.deepEqual(parseNvidiaSmi('No devices were found\n', gibibyte), []);
});

test('an AMD card counts its own memory, a processor with a GPU also what it can reach', async () => {
  const card = '/sys/class/drm/card1/device';
  const apu = '/sys/class/drm/card2/device';
  const { gpus } = await detectHardware(
    machine({
      files: {
        [`${card}/mem_info_vram_total`]: `${24 * gibibyte}\n`,
        [`${card}/mem_info_gtt_total`]: `${32 * gibibyte}\n`,
        [`${card}/mem_info_vram_vendor`]: 'samsung\n',
        [`${apu}/mem_info_vram_total`]: `${gibibyte / 2}\n`,
        [`${apu}/mem_info_gtt_total`]: `${96 * gibibyte}\n`,
        '/sys/class/drm/card1-DP-1/status': 'connected\n',
        '/sys/class/drm/card3/device/vendor': '0x8086\n',
      },
    }),
  );
  assert.deepEqual(
    gpus.map(({ name, memoryBytes, unified }) => [name, memoryBytes / gibibyte, unified]),
    [
      ['AMD card1', 24, false],
      ['AMD card2', 96.5, true],
    ],
  );
});

test('Apple silicon lets the GPU have most of the memory', async () => {
  const sysctl = `${64 * gibibyte}\nApple M3 Max\n`;
  const hardware = await detectHardware(machine({ platform: 'darwin', programs: { sysctl } }));
  assert.deepEqual(hardware, {
    gpus: [{ vendor: 'apple', name: 'Apple M3 Max', memoryBytes: 48 * gibibyte, unified: true }],
    ramBytes: 64 * gibibyte,
  });
  const intel = parseAppleSysctl(`${16 * gibibyte}\nIntel(R) Core(TM) i7\n`);
  assert.deepEqual(intel, { gpus: [], ramBytes: 16 * gibibyte });
});

test('memory is that of the machine, or the limit of the container', async () => {
  const files = { '/proc/meminfo': meminfo };
  const whole = await detectHardware(machine({ files }));
  assert.deepEqual(whole, { gpus: [], ramBytes: 65536000 * 1024 });
  const limited = { ...files, '/sys/fs/cgroup/memory.max': `${4 * gibibyte}\n` };
  assert.equal((await detectHardware(machine({ files: limited }))).ramBytes, 4 * gibibyte);
  assert.equal(parseCgroupLimit('max\n'), undefined);
  assert.equal(parseCgroupLimit('9223372036854771712\n'), undefined);
});

for (const [gigabytes, tokens] of [
  [0, 4_096],
  [16, 4_096],
  [23.99, 32_768],
  [24, 32_768],
  [47.99, 262_144],
  [80, 262_144],
] as const) {
  test(`${gigabytes} GiB of GPU memory: ${tokens} tokens`, () => {
    const gpu = {
      vendor: 'nvidia',
      name: 'x',
      memoryBytes: gigabytes * gibibyte,
      unified: false,
    } as const;
    const hardware = { gpus: [gpu], ramBytes: 512 * gibibyte };
    assert.equal(suggestContext({ hardware }), tokens);
  });
}

test('no output makes the parsers fail', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseNvidiaSmi(text, 1);
      parseMeminfo(text);
      parseCgroupLimit(text);
      parseAppleSysctl(text);
      for (const { memoryBytes } of parseAmdCard({
        card: 'card0',
        mem_info_vram_total: text,
        mem_info_gtt_total: text,
        mem_info_vram_vendor: text,
      })) {
        assert.ok(memoryBytes >= 0);
      }
    }),
  );
});

test('this machine has memory', async () => {
  const { ramBytes } = await detectHardware(thisMachine());
  assert.ok(ramBytes !== undefined && ramBytes > 0);
});
