/**
 * What runs inside the sandbox at the other end of a channel: a POSIX shell that carries out one
 * line after the other. It needs `sh`, `setsid` and `head`, /proc, and a folder it may write to.
 * No program of ours has to be in the image. Arguments: that folder, the key, and the host's own
 * process namespace, in which it refuses to work: there is no telling apart what it may kill there.
 *
 * A line counts only if it begins with the key: what is left of a payload that nobody read is
 * skipped. Every answer is a mark: a record separator, the nonce the line brought along, a letter,
 * words, a newline; on stdout, and for `S` and `E` on stderr too. Marks are shorter than PIPE_BUF,
 * so that what others write cannot tear them.
 *
 * - `_run` starts a command in a session of its own: `S pid parent`, then `N reason` if there is no
 *   such folder or program, at the end `E code signalled processes`. The shell's own complaint about
 *   a job that a signal ended (`Killed`) goes to a file; it tells such an end from an exit code above
 *   128. The command gets no descriptor but its three streams.
 * - `_feed` prints what follows on the channel as chunks, each `length`, newline, bytes: `T` after
 *   each; any other line ends it. If nobody wants them, it skips all up to a word of its own.
 * - `_sweep` kills one round of processes that have no business here: `K stray killed`. Without an
 *   id, all that are not known; else those of one command: of its session, with its id in their
 *   environment, or with a hand on the streams of its channel. `stray` is 1 if one could not be
 *   looked into.
 * - `_oom` tells how many processes the kernel has killed for want of memory: `O count`.
 *
 * The last two start nothing, so that they work where no process is left to be had. When the
 * channel closes, `_last` says what is still to be done.
 */
export const loopScript = `
exec 3<&0 4>&1 5>&2 </dev/null >/dev/null
_nl='
'
_notes=$1/forge-notes-$$
_key=$2
_last=:
# A command may have closed the folder to us. Then signals look like exit codes, and all else works.
_listen() { if { true >"$_notes"; } 2>/dev/null; then exec 2>"$_notes"; else exec 2>/dev/null; fi; }
_listen
_setsid=$(command -v setsid) || exit 69
[ "$(readlink /proc/self/ns/pid)" != "$3" ] || exit 70
_mark() { printf '\\036%s %s\\n' "$1" "$2"; }

_run() {
  _nonce=$1 _id=$2 _folder=$3 _variables=$4
  shift 4
  _listen
  (
    read -r _pid _name _state _parent _rest </proc/self/stat
    _mark "$_nonce" S >&2
    _mark "$_nonce" "S $_pid $_parent"
    cd -- "$_folder" 2>/dev/null || { _mark "$_nonce" 'N folder'; exit 127; }
    export FORGE_EXEC="$_id"
    eval "$_variables"
    case $1 in
      */*)
        [ -e "$1" ] || { _mark "$_nonce" 'N missing'; exit 127; }
        [ -f "$1" ] && [ -x "$1" ] || { _mark "$_nonce" 'N denied'; exit 126; }
        ;;
      *)
        _found=
        IFS=:
        set -f
        for _place in $PATH; do
          [ -f "\${_place:-.}/$1" ] && [ -x "\${_place:-.}/$1" ] && _found=yes && break
        done
        [ -n "$_found" ] || { _mark "$_nonce" 'N missing'; exit 127; }
        ;;
    esac
    exec "$_setsid" "$@"
  ) >&4 2>&5 3<&- 4>&- 5>&-
  _code=$?
  _signalled=0
  [ -s "$_notes" ] && _signalled=1
  set -- /proc/[0-9]*
  [ $# -gt 64 ] && set -- many
  _mark "$_nonce" E >&5
  _mark "$_nonce" "E $_code $_signalled $*" >&4
}

_feed() {
  while IFS= read -r _length <&3; do
    case $_length in
      '' | *[!0-9]* | 0) break ;;
    esac
    head -c "$_length" <&3 2>/dev/null || {
      sed "/^$2$/q" <&3 >/dev/null 2>&1
      break
    }
    _mark "$1" T >&4
  done
}

_sweep() {
  _nonce=$1 _known=$2 _id=$3 _session=$4 _loop=$5
  _killed=
  _count=0
  _stray=0
  for _entry in /proc/[0-9]*; do
    _pid=\${_entry#/proc/}
    case " $_known " in *" $_pid "*) continue ;; esac
    _line=
    read -r _line <"$_entry/stat" || continue
    set -- \${_line##*) }
    [ "$1" = Z ] || [ "$1" = X ] && continue
    [ -z "$_id" ] || [ "$4" = "$_session" ] || _holds || _carries || continue
    kill -9 "$_pid" || continue
    _count=$((_count + 1))
    [ $_count -gt 64 ] || _killed="$_killed $_pid"
  done
  _mark "$_nonce" "K $_stray$_killed" >&4
}

_holds() {
  for _fd in "$_entry"/fd/*; do
    [ "$_fd" -ef "/proc/$_loop/fd/4" ] || [ "$_fd" -ef "/proc/$_loop/fd/5" ] && return 0
  done
  [ -r "$_entry/fd" ] || ! kill -0 "$_pid" || _stray=1
  return 1
}

_carries() {
  _environ=
  while IFS= read -r _part || [ -n "$_part" ]; do
    _environ=$_environ$_part
    _part=
  done <"$_entry/environ"
  case $_environ in *"FORGE_EXEC=$_id"*) return 0 ;; esac
  return 1
}

_oom() {
  _kills=
  for _file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    [ -r "$_file" ] || continue
    while read -r _word _number; do
      [ "$_word" = oom_kill ] && _kills=$_number
    done <"$_file"
  done
  _mark "$1" "O $_kills" >&4
}

set -- /proc/[0-9]*
[ $# -gt 64 ] && set -- many
_mark "$_key" E >&5
_mark "$_key" "H $$ $*" >&4
while IFS= read -r _line <&3; do
  case $_line in
    "$_key "*) eval "\${_line#"$_key "}" ;;
  esac
done
eval "$_last"
`;
