/**
 * Goes to the folder of `$rel`, making what is missing of it, and follows a link at its end: the
 * file is then `./$base` of the folder we stand in, which is inside the workspace whatever the path
 * means a moment later.
 */
const place = `
place() {
  cd -P -- "$root" || exit 91
  base=\${rel##*/}
  rest=\${rel%"$base"}
  while [ -n "$rest" ]; do
    part=\${rest%%/*}; rest=\${rest#*/}
    [ -e "./$part" ] || [ -L "./$part" ] || mkdir -- "./$part" 2>/dev/null || [ -d "./$part" ] || exit 97
    [ -d "./$part" ] || exit 89
    cd -P -- "./$part" 2>/dev/null || exit 97
    inside "$PWD"
  done
  hops=0
  while [ -L "./$base" ]; do
    hops=$((hops + 1)); [ "$hops" -le 20 ] || exit 96
    to=$(readlink -- "./$base") || exit 97
    case $to in /*/*) at=\${to%/*} ;; /*) at=/ ;; */*) at=./\${to%/*} ;; *) at=. ;; esac
    cd -P -- "$at" 2>/dev/null || exit 97
    inside "$PWD"
    base=\${to##*/}
  done
  [ ! -d "./$base" ] || exit 95
  [ ! -e "./$base" ] || [ -f "./$base" ] || exit 96
  plain "$PWD/$base"
}
`;

/** Writes new content beside its file. $1: its name there, $2: how many bytes have to come. */
export const stageScript = `${place}
place
cat >"./$1" && [ "$(stat -c %s "./$1")" = "$2" ] || { rm -f -- "./$1"; exit 99; }
`;

const walk = `${place}
each() {
  act=$1; shift
  while [ $# -gt 0 ]; do
    op=$1 rel=$2 new=$3 want=$4 like=$5; shift 5
    place
    $act || exit 99
  done
}
clean() { rm -f -- "./$new" "./$new.old"; }
`;

/**
 * Changes all files or none, from what was staged. Five arguments for each: `put` or `drop`, the
 * path, the staged name, what is expected (`any`, `none` or a sha256), and a file whose mode it gets. What is likely to fail
 * is done before the first file changes. The last line printed is the path that was at fault.
 */
export const commitScript = `${walk}
# Over a name and never into a folder that took its place; a played shell has no such option.
case $(mv -T 2>&1) in *nvalid*|*nrecognized*) over=-f ;; *) over=-fT ;; esac
check() {
  printf '%s\\n' "$rel"
  case $want in
    any) ;;
    none) [ ! -e "./$base" ] || exit 93 ;;
    *) [ "$(sha256sum <"./$base" 2>/dev/null)" = "$want  -" ] || exit 93 ;;
  esac
  [ -z "$like" ] || chmod "$(stat -c %a "$root/$like")" "./$new" || return 1
  [ -e "./$base" ] || return 0
  cp -p -- "./$base" "./$new.old" || return 1
  [ "$op" = drop ] || chmod "$(stat -c %a "./$base")" "./$new"
}
swap() {
  case $op in
    put) mv $over -- "./$new" "./$base" ;;
    drop) rm -f -- "./$base" ;;
  esac
}
restore() {
  if [ -e "./$new.old" ]; then mv $over -- "./$new.old" "./$base"
  elif [ "$op" = put ] && [ ! -e "./$new" ]; then rm -f -- "./$base"; fi
}
(each check "$@"); code=$?
if [ "$code" = 0 ]; then
  (each swap "$@"); code=$?
  [ "$code" = 0 ] || (each restore "$@")
fi
(each clean "$@")
exit "$code"
`;

/** Takes away what was staged. The same arguments as for a commit. */
export const discardScript = `${walk}
(each clean "$@")
exit 0
`;
