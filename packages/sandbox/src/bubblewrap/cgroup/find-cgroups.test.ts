import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cgroupHomes } from './find-cgroups.ts';

describe('cgroupHomes', () => {
  it('reads version 1, one folder for each controller', () => {
    const mounts = [
      '30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
      '31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct',
      '32 25 0:28 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices',
      '20 1 8:1 / / rw - ext4 /dev/sda1 rw',
    ].join('\n');
    const homes = cgroupHomes(mounts, '4:memory:/no/such/group\n3:cpu,cpuacct:/\n');
    assert.deepEqual(homes, [
      { version: 1, folder: '/sys/fs/cgroup/memory', controllers: ['memory'] },
      { version: 1, folder: '/sys/fs/cgroup/cpu,cpuacct', controllers: ['cpu', 'cpuacct'] },
    ]);
  });

  it('reads version 2, from our own group up', () => {
    // A path that is there on every machine stands in for the mount.
    const homes = cgroupHomes('30 25 0:26 / /usr rw - cgroup2 cgroup2 rw', '0::/bin\n');
    assert.deepEqual(
      homes.map(({ version, folder }) => `${version} ${folder}`),
      ['2 /usr/bin', '2 /usr'],
    );
  });

  it('sees a group below the root of the mount', () => {
    const mounts = '30 25 0:26 /docker/abc /usr rw - cgroup cgroup rw,pids';
    assert.equal(cgroupHomes(mounts, '8:pids:/docker/abc/bin\n')[0]?.folder, '/usr/bin');
    assert.equal(cgroupHomes(mounts, '8:pids:/elsewhere\n')[0]?.folder, '/usr');
  });

  it('makes do with nothing', () => {
    assert.deepEqual(cgroupHomes('', ''), []);
  });
});
