import type { Readable } from 'node:stream';
import { packImage } from '../../src/testing/pack-image.ts';
import type { TestDocker } from '../../src/testing/start-docker.ts';

/** Raised when what is in the image changes. */
const version = 1;

/**
 * What attackers bring along, copied from this machine onto the image of the tests: Perl, programs of
 * the system, and a copy of `id` that would run as root.
 */
const script = `
set -eu
cd "$1"
printf 'FROM %s\\nCOPY root /\\n' "$2" > Dockerfile
mkdir -p root/usr/bin
copy() {
  folder=$(readlink -f "\${1%/*}")
  mkdir -p "root$folder"
  cp -L "$1" "root$folder/"
}
for program in perl nsenter truncate xargs getent dmesg; do
  path=$(command -v "$program")
  cp -L "$path" root/usr/bin/
  { ldd "$path" 2>/dev/null || true; } | grep -o '/[^ ]*' | while read -r library; do copy "$library"; done
done
for folder in $(/usr/bin/perl -e 'print "@INC"'); do
  case $folder in */perl-base) mkdir -p "root$folder"; cp -rL "$folder/." "root$folder/" ;; esac
done
cp -L /usr/bin/id root/usr/bin/setuid-id
chmod 4755 root/usr/bin/setuid-id
exec tar -cf - .
`;

/** The image for attacks; made if the daemon does not have it. */
export async function buildAbuseImage({ docker, testImage }: TestDocker): Promise<string> {
  const base = await testImage();
  const tag = `forge/abuse:${base.replace(/\W/g, '-')}-${version}`;
  const load = (tar: Readable) => docker.buildImage(tar, { t: tag });
  return packImage({ docker, tag, script, args: [base], load });
}
