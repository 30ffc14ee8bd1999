#!/usr/bin/env bash
# A MariaDB 11.8 on loopback, for as long as this script's input stays open:
#
#   mariadb-11.8.sh PORT [HOME]
#
# Prints its JDBC URL once it answers (user root, no password), and stops it and removes its data at the end of the input: a
# process that starts it through a pipe takes it along when it ends, however that comes. Where it cannot run, the last line
# of the error output says why.
#
# The server is unpacked once, into HOME, from the packages of Debian's suite "trixie" and runs with the C library it came
# with: nothing is installed. The mirror is the one apt uses here, so this takes a Debian on amd64 and no special rights.
set -euo pipefail
port=${1:?usage: mariadb-11.8.sh PORT [HOME]}
home=${2:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/rowlock-test/mariadb-11.8}
suite=trixie
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
temp=$(mktemp -d "${TMPDIR:-/tmp}/rowlock-mariadb118-XXXXXX")
server=
finish() {
  if [[ -n $server ]]; then kill -9 "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; fi
  rm -rf "$temp"
}
trap finish EXIT
trap 'exit 1' INT TERM
fail() { echo "$1" >&2; exit 1; }

mirror() {
  { cat /etc/apt/sources.list.d/debian.sources 2>/dev/null || true; } | awk '/^URIs:/ {print $2; exit}' | grep . \
    || { cat /etc/apt/sources.list 2>/dev/null || true; } | awk '/^deb / && /debian/ {sub(/\[[^]]*\]/, ""); print $2; exit}' | grep .
}

unpack() {
  [[ $(uname -m) == x86_64 ]] || fail "MariaDB 11.8 is unpacked on amd64 only"
  for tool in apt-get apt-cache dpkg; do command -v "$tool" >/dev/null || fail "there is no $tool to unpack MariaDB 11.8 with"; done
  [[ -r $keyring ]] || fail "the keys of Debian's packages are not here"
  local from; from=$(mirror) || fail "apt has no Debian mirror to get MariaDB 11.8 from"
  local apt=$temp/apt; mkdir -p "$apt"/{lists,cache/archives,debs}/partial "$apt/root"
  echo "deb [signed-by=$keyring] $from $suite main" >"$apt/list"
  local options=(-o Dir::Etc::sourcelist="$apt/list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$apt/lists"
    -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=0 -o Acquire::http::Timeout=15
    -o APT::Update::Error-Mode=any)
  apt-get "${options[@]}" -qq update >&2 || fail "apt cannot read suite $suite"
  local packages; packages=$(apt-cache "${options[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts \
    --no-breaks --no-replaces --no-enhances mariadb-server-core mariadb-client-core | grep '^[a-z]' | sort -u) \
    || fail "suite $suite has no MariaDB"
  # one word a package
  # shellcheck disable=SC2086
  (cd "$apt/debs" && apt-get "${options[@]}" -qq download $packages >&2) || fail "apt cannot download MariaDB 11.8"
  for package in "$apt"/debs/*.deb; do dpkg -x "$package" "$apt/root"; done
  mkdir -p "$(dirname "$home")"
  mv -T "$apt/root" "$home" 2>/dev/null || [[ -x $home/usr/sbin/mariadbd ]] || fail "$home cannot be written"
}

lib=$home/usr/lib/x86_64-linux-gnu
run() { local program=$1; shift; "$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$home/usr/$program" "$@"; }

[[ -x $home/usr/sbin/mariadbd ]] || unpack
data=$temp/data; mkdir "$data"
settings=(--no-defaults --user="$(id -un)" --basedir="$home/usr" --datadir="$data" --lc-messages-dir="$home/usr/share/mariadb"
  --character-sets-dir="$home/usr/share/mariadb/charsets" --tmpdir="$temp")
{
  printf '%s\n' 'CREATE DATABASE mysql;' 'USE mysql;' 'SET @skip_auth_anonymous = 1, @auth_root_socket = NULL;'
  cat "$home"/usr/share/mariadb/mariadb_{system_tables,performance_tables,system_tables_data}.sql
} | run sbin/mariadbd "${settings[@]}" --bootstrap >"$temp/log" 2>&1 || fail "MariaDB 11.8 cannot be set up: $(tail -1 "$temp/log")"

"$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$home/usr/sbin/mariadbd" "${settings[@]}" --bind-address=127.0.0.1 --port="$port" \
  --socket="$temp/socket" --pid-file="$temp/pid" --skip-name-resolve --max-connections=1000 --performance-schema=ON \
  </dev/null >"$temp/log" 2>&1 &
server=$!
for _ in $(seq 600); do
  if run bin/mariadb --no-defaults -h127.0.0.1 -P"$port" -uroot --skip-ssl --connect-timeout=2 -e 'SELECT 1' >/dev/null 2>&1; then
    echo "jdbc:mysql://127.0.0.1:$port/?user=root"
    exec 1>&-
    cat >/dev/null
    exit 0
  fi
  kill -0 "$server" 2>/dev/null || { server=; fail "MariaDB 11.8 does not start: $(tail -1 "$temp/log")"; }
  sleep 0.1
done
fail "MariaDB 11.8 does not answer"
