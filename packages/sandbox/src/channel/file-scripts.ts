/**
 * These scripts end with codes of their own: 40 for nothing there, 41 for what is no file, 42 for a
 * full disk, 43 for what is not allowed.
 */
export const readScript = `
[ -e "$1" ] || exit 40
[ -f "$1" ] || exit 41
[ -r "$1" ] || exit 43
stat -L -c %s -- "$1" || exit 43
[ "$3" = 0 ] && exit 0
if [ "$2" = 0 ]; then exec head -c "$3" <"$1"; fi
tail -c "+$(($2 + 1))" <"$1" | head -c "$3"
`;

export const writeScript = `
[ ! -d "$1" ] || exit 41
if [ -L "$1" ]; then
  real=$(readlink -f -- "$1" && echo .) || exit 43
  real=\${real%??}
else real=$1; fi
[ ! -d "$real" ] || exit 41
folder=\${real%/*}
mkdir -p -- "\${folder:-/}" || exit 43
mode=$2
[ -n "$mode" ] || mode=$(stat -c %a -- "$real" 2>/dev/null) || mode=644
draft=\${folder:-}/.forge-$3
trap 'rm -f -- "$draft"' EXIT
cat >"$draft" || exit 42
chmod "$mode" -- "$draft" && mv -f -- "$draft" "$real" || exit 43
trap - EXIT
`;

export const packScript = `
[ -e "$1" ] || [ -L "$1" ] || exit 40
if [ -d "$1" ] && [ ! -L "$1" ]; then cd -- "$1" && exec tar -cf - .; fi
case $1 in */*) cd -- "\${1%/*}/" ;; esac
exec tar -cf - "./\${1##*/}"
`;

export const unpackScript = 'mkdir -p -- "$1" && cd -- "$1" && exec tar -xf -';
