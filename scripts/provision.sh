#!/bin/sh
# Gets what the other commands need and is missing. Does nothing, quickly, when all is there.
# Needed today: the npm packages, among them the Node that runs everything, and for the tests of
# the store, the queues and the sandboxes PostgreSQL, Redis, Docker (their programs only: the tests
# start servers of their own), bubblewrap, ripgrep and debootstrap.
set -eu
cd "$(dirname "$0")/.."

needed=24
# Where the machine's own files are; a test gives a folder, so that it touches none of them.
system=${PROVISION_SYSTEM:-}

major() {
  "$1" --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p'
}

# True when the Node of the checkout is there and new enough.
has_node() {
  found=$(major node_modules/.bin/node || true)
  [ -n "$found" ] && [ "$found" -ge "$needed" ]
}

# True when there is a server the tests can start: where Debian puts it, or on the path.
has_postgres() {
  for version in 15 16 17 18; do
    [ -x "$system/usr/lib/postgresql/$version/bin/postgres" ] && return 0
  done
  command -v postgres >/dev/null 2>&1
}

# The same for Redis.
has_redis() {
  [ -x "$system/usr/bin/redis-server" ] && return 0
  [ -z "$system" ] && command -v redis-server >/dev/null 2>&1
}

# True when the programs are there that the tests of sandboxes and of searches run.
has_program() {
  for folder in /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin; do
    [ -x "$system$folder/$1" ] && return 0
  done
  [ -z "$system" ] && command -v "$1" >/dev/null 2>&1
}

# The Debian packages of those that are missing.
missing_tools() {
  has_program dockerd || echo docker.io
  has_program bwrap || echo bubblewrap
  has_program rg || echo ripgrep
  has_program debootstrap || echo debootstrap
  has_program docker-registry || echo docker-registry
  has_program openssl || echo openssl
}

# Waits for another apt-get that is at work, and asks a mirror again that does not answer.
quiet_apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
    "$@" >/dev/null
}

# Before the second try: an installation that was broken off is in the way of every other one.
refresh_apt() {
  [ -n "$system" ] || dpkg --configure -a >/dev/null 2>&1 || true
  quiet_apt update
}

# Installs the programs without the database and the service that Debian would start with them.
install_postgres() {
  quiet_apt install -y --no-install-recommends postgresql-common || {
    refresh_apt && quiet_apt install -y --no-install-recommends postgresql-common
  } || return 1
  clusters=$system/etc/postgresql-common/createcluster.conf
  [ ! -w "$clusters" ] || sed -i.kept 's/^#* *create_main_cluster *=.*/create_main_cluster = false/' "$clusters"
  installed=0
  quiet_apt install -y --no-install-recommends postgresql-15 ||
    quiet_apt install -y --no-install-recommends postgresql || installed=$?
  [ ! -e "$clusters.kept" ] || mv "$clusters.kept" "$clusters"
  return "$installed"
}

# Installs programs; a policy that is there for that long keeps Debian from starting their services.
install_quietly() {
  policy=$system/usr/sbin/policy-rc.d
  planted=
  if [ ! -e "$policy" ] && [ -w "${policy%/*}" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
    planted=yes
  fi
  installed=0
  quiet_apt install -y --no-install-recommends "$@" || {
    refresh_apt && quiet_apt install -y --no-install-recommends "$@"
  } || installed=$?
  [ -z "$planted" ] || rm -f "$policy"
  return "$installed"
}

# npm writes this file last: without it an installation was broken off.
if [ ! -e node_modules/.package-lock.json ]; then
  echo "provision: installing the npm packages (npm ci)"
  npm ci
fi

if ! has_node; then
  # Where packages were installed without their install scripts, the binary is not there yet.
  echo "provision: fetching Node $needed (npm rebuild node)"
  npm rebuild node
fi

if ! has_postgres; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "provision: installing PostgreSQL (apt-get install postgresql-15)"
    install_postgres || true
  fi
  # All but the tests of the store on PostgreSQL works without it: say so and go on.
  if ! has_postgres; then
    echo "provision: there is no PostgreSQL server, and tests that need one will fail." >&2
    echo "  Install version 15 or later (Debian: apt-get install postgresql-15)." >&2
  fi
fi

if ! has_redis; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "provision: installing Redis (apt-get install redis-server)"
    install_quietly redis-server || true
  fi
  # All but the tests of the queue on Redis works without it: say so and go on.
  if ! has_redis; then
    echo "provision: there is no Redis server, and tests that need one will fail." >&2
    echo "  Install version 6.2 or later (Debian: apt-get install redis-server)." >&2
  fi
fi

tools=$(missing_tools | tr '\n' ' ')
if [ -n "$tools" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "provision: installing what sandboxes need (apt-get install $tools)"
    # iptables and certificates are recommended only, and Docker has no network without them.
    case $tools in *docker.io*) tools="$tools iptables ca-certificates" ;; esac
    # shellcheck disable=SC2086
    install_quietly $tools || true
  fi
  # All but the tests of sandboxes and searches works without them: say so and go on.
  tools=$(missing_tools | tr '\n' ' ')
  if [ -n "$tools" ]; then
    echo "provision: tests of sandboxes and searches will fail without some programs." >&2
    echo "  Install them (Debian: apt-get install $tools)." >&2
  fi
fi

if has_node; then
  echo "provision: $(node_modules/.bin/node --version) and the npm packages are in place"
else
  echo "provision: Node $needed is needed and could not be fetched." >&2
  echo "  Remove node_modules and run \"npm ci\"; it must be allowed to run install scripts." >&2
  exit 1
fi
