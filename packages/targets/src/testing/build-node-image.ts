import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';

/** Raised when what is in the image changes. */
const repository = 'forge/test-node';
const version = `1-${process.versions.node}`;

/** Copies this Node.js, a shell and what they are linked with; `$1` is the new root. */
const script = `
set -eu
root=$1 node=$2
umask 022
mkdir -p "$root/usr/bin" "$root/usr/lib" "$root/usr/lib64" "$root/etc" "$root/tmp"
for folder in bin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
cp -L "$node" "$root/usr/bin/node"
for program in sh cat sleep mkdir; do cp -L "$(command -v "$program")" "$root/usr/bin/$program"; done
for program in "$root"/usr/bin/*; do
  { ldd "$program" 2>/dev/null || true; } | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root/\${library%/*}"
    [ -e "$root/$library" ] || cp -L "$library" "$root/$library"
  done
done
printf 'root:x:0:0:root:/root:/bin/sh\\n' >"$root/etc/passwd"
exec tar -C "$root" -cf - .
`;

/** An image with this machine's Node.js, for services in tests; made if the daemon does not have it. */
export async function buildNodeImage(docker: Docker): Promise<string> {
  const tag = `${repository}:${version}`;
  const there = await docker
    .getImage(tag)
    .inspect()
    .catch(() => undefined);
  if (there !== undefined) return tag;
  const folder = mkdtempSync(join(tmpdir(), 'forge-node-image-'));
  try {
    const tar = spawn('sh', ['-c', script, 'sh', folder, process.execPath], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    });
    const exited = once(tar, 'exit');
    const stream = await docker.importImage(tar.stdout, { repo: repository, tag: version });
    await new Promise<void>((resolve, reject) => {
      docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()));
    });
    const [code] = await exited;
    if (code !== 0) throw new Error(`The files of ${tag} could not be packed (${code}).`);
    return tag;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
