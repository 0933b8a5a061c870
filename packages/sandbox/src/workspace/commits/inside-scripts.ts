/**
 * What runs inside a sandbox to put a tree there and to find what changed in it. Both use a git folder
 * of our own beside the workspace, whose index is kept from one look to the next: files that were not
 * touched are not read again. Whatever happens to that folder, the worst is that it is made anew.
 */

/** Nothing of the sandbox's own settings counts; names are literal; messages are in English. */
export const insideEnvironment = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  LC_ALL: 'C',
};

/** Exit codes of the scripts. */
export const insideCodes = { noGit: 90, noWorkspace: 91, spoiled: 92 } as const;

/** Where temporary files go, if git is there. */
export const placeScript = `
command -v git >/dev/null 2>&1 || exit ${insideCodes.noGit}
printf %s "\${TMPDIR:-/tmp}"
`;

const begin = `
root=$1 keep=$2
command -v git >/dev/null 2>&1 || exit ${insideCodes.noGit}
cd "$root" || exit ${insideCodes.noWorkspace}
export GIT_DIR="$keep/git" GIT_WORK_TREE="$root"
rm -f "$GIT_DIR/index.lock"
`;

/** Arguments: workspace, our folder. */
export const clearScript = 'rm -rf -- "$2"';

/** Arguments: workspace, our folder, the tree, and \`same\` where the repository inside holds that tree. */
export const unpackScript = `
${begin}
set -e
git read-tree "$3"
git checkout-index --all --force --quiet --index
if [ "$4" = same ]; then cp "$GIT_DIR/index" "$root/.git/index"
else GIT_DIR="$root/.git" git read-tree HEAD; fi
`;

/** Arguments: workspace, our folder, the tree. The files are there; only our folder is new. */
export const adoptScript = `
${begin}
git read-tree "$3"
`;

/**
 * Arguments: workspace, our folder, the tree of the last look, the most bytes of contents, the most
 * bytes to print. Prints a line with the tree and the sizes of four files, and the files if they are
 * small: what changed, the new contents, what could not be taken, what git complained about.
 *
 * A repository inside the workspace is files like others: git would take it for a submodule, but not
 * where its own index has a file of that folder.
 */
export const lookScript = `
${begin}
add() { git add --all --ignore-errors . 2>"$keep/said" >/dev/null; }
look() {
  tree=$(git write-tree) || exit ${insideCodes.spoiled}
  : >"$keep/lines"; : >"$keep/raw"
  [ "$tree" = "$3" ] && return
  git diff-tree -r -z --raw --no-renames "$3" "$tree" >"$keep/raw" || exit ${insideCodes.spoiled}
  git diff-tree -r --raw --no-renames --no-abbrev "$3" "$tree" >"$keep/lines"
}
unnest() {
  find . -path ./.git -prune -o -name .git -prune -exec sh -c '
    empty=$(git hash-object -t blob /dev/null)
    for path in "$@"; do
      folder=\${path#./}; folder=\${folder%/.git}
      git check-ignore -q -- "$folder" && continue
      case $(git ls-tree "$0" -- "$folder") in 160000*) continue ;; esac
      git update-index --force-remove -- "$folder"
      printf "100644 %s\\t%s/.forge-here\\0" "$empty" "$folder" | git update-index -z --index-info
    done' "$3" {} +
}
mkdir -p "$keep" && [ -f "$GIT_DIR/index" ] || exit ${insideCodes.spoiled}
: >"$keep/left"; : >"$keep/new"
add; code=$?
look "$@"
if [ $code -ne 0 ] || grep -q '^:[0-7]* 160000 ' "$keep/lines"; then
  unnest "$@"; add; code=$?
  look "$@"
fi
if [ $code -ne 0 ]; then
  git ls-files -z --others --exclude-standard | head -c 20000 >"$keep/left"
  git diff-files -z --name-only | head -c 20000 >>"$keep/left"
fi
if [ -s "$keep/lines" ]; then
  grep -v '^:[0-7]* \\(000000\\|160000\\) ' "$keep/lines" | cut -d' ' -f4 | sort -u |
    git cat-file --batch --buffer | head -c $(($4 + 1)) >"$keep/new"
fi
head -c 4000 "$keep/said" >"$keep/short"; mv "$keep/short" "$keep/said"
size() { wc -c <"$keep/$1" | tr -d ' '; }
raw=$(size raw) new=$(size new) left=$(size left) said=$(size said)
printf '%s %s %s %s %s\\n' "$tree" "$raw" "$new" "$left" "$said"
[ $((raw + new + left + said)) -gt "$5" ] || cat "$keep/raw" "$keep/new" "$keep/left" "$keep/said"
`;
