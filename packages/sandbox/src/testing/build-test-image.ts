import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { packImage } from './pack-image.ts';

/** Raised when what is in the image changes. */
const tag = 'forge/test:5';

/** Copies programs of this machine and what they are linked with; `$1` is the new root. */
const script = `
set -eu
root=$1
umask 022
mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/etc" "$root/tmp" \\
  "$root/proc" "$root/sys" "$root/dev" "$root/root"
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
for program in sh bash setsid head readlink cat timeout tar stat sed mkdir rm rmdir mv cp chmod chown \\
  tail ls sleep seq yes tr df du env id kill cut sort grep wc mkfifo ln printf touch dd true false \\
  test echo pwd tee find date uname basename dirname mktemp nproc sync od ps su mount unshare chroot mknod awk \\
  git rg sha256sum base64 cmp diff xargs uniq; do
  from=
  for folder in /usr/bin /bin /usr/sbin /sbin; do
    [ -x "$folder/$program" ] && from=$folder/$program && break
  done
  [ -n "$from" ] || continue
  cp -L "$from" "$root/usr/bin/$program"
  { ldd "$from" 2>/dev/null || true; } | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root/\${library%/*}"
    [ -e "$root/$library" ] || cp -L "$library" "$root/$library"
  done
done
printf 'root:x:0:0:root:/root:/bin/sh\\nnobody:x:65534:65534:nobody:/tmp:/bin/sh\\n' >"$root/etc/passwd"
printf 'root:x:0:\\nnogroup:x:65534:\\n' >"$root/etc/group"
printf 'root:!:1:0:99999:7:::\\n' >"$root/etc/shadow"
chmod 600 "$root/etc/shadow"
chmod 1777 "$root/tmp"
exec tar -C "$root" -cf - .
`;

/** The image for tests; made if the daemon does not have it. */
export function buildTestImage(docker: Docker): Promise<string> {
  const [repo = '', version = ''] = tag.split(':');
  const load = (tar: Readable) => docker.importImage(tar, { repo, tag: version });
  return packImage({ docker, tag, script, load });
}
