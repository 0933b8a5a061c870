#!/bin/sh
# Gets what the other commands need and is missing. Does nothing, quickly, when all is there.
# Needed today: the npm packages, among them the Node that runs everything.
set -eu
cd "$(dirname "$0")/.."

needed=24

major() {
  "$1" --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p'
}

# True when the Node of the checkout is there and new enough.
has_node() {
  found=$(major node_modules/.bin/node || true)
  [ -n "$found" ] && [ "$found" -ge "$needed" ]
}

if [ ! -d node_modules ]; then
  echo "provision: installing the npm packages (npm ci)"
  npm ci
fi

if ! has_node; then
  # Where packages were installed without their install scripts, the binary is not there yet.
  echo "provision: fetching Node $needed (npm rebuild node)"
  npm rebuild node
fi

if has_node; then
  echo "provision: $(node_modules/.bin/node --version) and the npm packages are in place"
else
  echo "provision: Node $needed is needed and could not be fetched." >&2
  echo "  Remove node_modules and run \"npm ci\"; it must be allowed to run install scripts." >&2
  exit 1
fi
