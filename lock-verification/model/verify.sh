#!/usr/bin/env bash
# Verifies the models within small bounds, and checks that every mutant is refuted. Needs spin (6.5) and gcc.
#
#   ./verify.sh             all, two jobs at a time
#   ./verify.sh NAME...     only these lines of the list below
#   ./verify.sh -t NAME     the shortest counterexample of one line, step by step
#
# Exits with 1 if a model has an error, a search was not complete, or a mutant passed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
jobs=${JOBS:-2}
memory=${MEM:-2000} # MB for one search

# expected | name | model | options
list() { cat <<'LIST'
ok|lease-writers|lease|-DM=2 -DORPHAN -DLOOK -DSYM
ok|lease-writers-in-transactions|lease|-DM=2 -DORPHAN -DLOOK -DTWOPHASE -DSYM
ok|lease-writer-and-reader|lease|-DM=2 -DXM=1 -DSM=2 -DCRASHES=0
ok|lease-permits|lease|-DM=2 -DXM=0 -DSM=3 -DPERMITS=1 -DSYM
ok|lease-downgrade|lease|-DM=2 -DXM=1 -DSM=2 -DDG -DNOTX
ok|lease-extensions|lease|-DM=2 -DEXT -DNOTX -DSYM
ok|lease-minimum|lease|-DM=2 -DKEEP=3 -DNOTX -DSYM
ok|lease-forced-release|lease|-DM=2 -DFORCE -DSYM
bad|counted-from-the-answer|lease|-DM=2 -DM_ANSFROM
bad|renewal-counted-from-its-answer|lease|-DM=2 -DM_RENEWFROMANSWER
bad|renewal-shortens|lease|-DM=2 -DM_SHORTEN
bad|renewal-without-token|lease|-DM=2 -DFORCE -DM_RENEWANY
bad|takeover-too-early|lease|-DM=2 -DM_EARLY
bad|release-of-any-lease|lease|-DM=2 -DNEEDWHO -DM_RELANY
bad|release-by-owner|lease|-DM=2 -DNEEDWHO -DM_RELOWNER
bad|revocation-by-owner|lease|-DM=2 -DNEEDWHO -DM_ABDOWNER
bad|no-fence|lease|-DM=2 -DM_NOFENCE
bad|fence-without-row-lock|lease|-DM=2 -DM_FENCENOLOCK
bad|takeover-of-a-locked-row|lease|-DM=2 -DM_TAKELOCKED
bad|renewed-after-its-end|lease|-DM=2 -DORPHAN -DNOTX -DM_RENEWFOREVER
bad|no-expiry|lease|-DM=2 -DORPHAN -DNOTX -DM_NOEXPIRY
bad|no-drain|lease|-DM=2 -DXM=1 -DSM=2 -DM_NODRAIN
bad|no-mark|lease|-DM=2 -DXM=1 -DSM=2 -DM_NOMARK
bad|reader-without-share-lock|lease|-DM=2 -DXM=1 -DSM=2 -DM_NOSHARE
bad|live-reader-deleted|lease|-DM=2 -DXM=1 -DSM=2 -DM_DELLIVE
bad|permits-counted-beside-each-other|lease|-DM=2 -DXM=0 -DSM=3 -DPERMITS=1 -DM_PERMITSHARE
bad|only-live-permits-counted|lease|-DM=2 -DXM=0 -DSM=3 -DPERMITS=1 -DM_PERMITLIVE
bad|readers-find-the-writer-kept|lease|-DM=2 -DXM=1 -DSM=2 -DDG -DNOTX -DM_DOWNUNCHANGED
bad|downgrade-in-two-transactions|lease|-DM=2 -DDG -DNOTX -DM_DOWNTWOTX
bad|renewal-shortens-an-extension|lease|-DM=2 -DEXT -DNOTX -DM_SHORTEN
bad|extension-counted-from-its-answer|lease|-DM=2 -DEXT -DNOTX -DM_RENEWFROMANSWER
bad|minimum-begins-again|lease|-DM=2 -DKEEP=3 -DNOTX -DM_KEPTAGAIN
bad|renewal-makes-the-minimum-longer|lease|-DM=2 -DKEEP=3 -DNOTX -DM_KEPTRENEWED
ok|packet|packet|-DROUNDS=1
bad|packet-attempt-not-revoked|packet|-DROUNDS=1 -DM_NOABANDON
bad|packet-attempt-revoked-once|packet|-DROUNDS=1 -DM_ABDONCE
bad|packet-trusts-its-first-look|packet|-DROUNDS=1 -DM_TRUSTSELECT
bad|packet-unsure-taken-alone|packet|-DROUNDS=1 -DM_UNSUREALONE
bad|packet-create-updates-a-duplicate|packet|-DROUNDS=1 -DM_CREATEOVER
ok|tokens|tokens|-DGRANTS=2
bad|tokens-not-in-ranges|tokens|-DM_RANGE
bad|tokens-without-floor|tokens|-DM_NOFLOOR
bad|tokens-created-at-the-floor|tokens|-DM_CREATEATFLOOR
bad|tokens-floor-raised-afterwards|tokens|-DM_FLOORAFTER
ok|redis-permits|redis|-DPM=3
ok|redis-writers|redis|-DXM=3 -DPM=0
ok|redis-writer-and-reader|redis|-DXM=1 -DSM=2 -DPM=0 -DNODUP
ok|redis-writer-and-permit|redis|-DXM=1 -DPM=2 -DNODUP -DAHEAD
ok|redis-downgrade|redis|-DXM=1 -DSM=2 -DPM=0 -DDG -DNODUP
ok|redis-minimum|redis|-DXM=3 -DPM=0 -DKEEP=3 -DNODUP
bad|redis-minimum-begins-again|redis|-DXM=3 -DPM=0 -DKEEP=3 -DM_KEPTAGAIN
bad|redis-renewal-makes-the-minimum-longer|redis|-DXM=3 -DPM=0 -DKEEP=3 -DM_KEPTRENEWED
bad|redis-attempt-makes-the-minimum-longer|redis|-DXM=3 -DPM=0 -DKEEP=3 -DM_KEPTTAKEN
bad|redis-permit-removes-itself|redis|-DPM=3 -DM_OWNDEAD
bad|redis-one-permit-too-many|redis|-DPM=3 -DM_NOLIMIT1
bad|redis-counted-from-the-answer|redis|-DXM=3 -DPM=0 -DM_ANSFROM
bad|redis-promise-counted-from-its-message|redis|-DPM=3 -DM_PROMISEFROMMESSAGE
bad|redis-old-message-counts|redis|-DXM=3 -DPM=0 -DM_STALEMSG
bad|redis-release-without-token|redis|-DXM=3 -DPM=0 -DM_RELANY
bad|redis-leave-without-nonce|redis|-DXM=3 -DPM=0 -DM_LEAVEANY
bad|redis-late-lease-granted-again|redis|-DPM=3 -DM_SAMENONCE
bad|redis-release-without-hand-over|redis|-DXM=3 -DPM=0 -DM_NOADVANCE
bad|redis-usual-acquire-of-a-held-key|redis|-DXM=3 -DPM=0 -DM_USUALTAKE
bad|redis-usual-release-forgets-the-queue|redis|-DXM=3 -DPM=0 -DM_USUALRELEASE
bad|redis-queue-forgotten|redis|-DPM=3 -DM_FLAG
bad|redis-no-drain|redis|-DXM=1 -DSM=2 -DPM=0 -DM_NODRAIN
bad|redis-downgrade-with-a-gap|redis|-DXM=3 -DPM=0 -DDG -DM_DOWNGAP
bad|redis-unproven-downgrade-goes-on|redis|-DXM=1 -DSM=2 -DPM=0 -DDG -DM_DOWNKEEP
ok|redis-loses-its-data|raise|-DLOSSES=2 -DSETS=0
ok|redis-sets-its-clock-back|raise|-DSETS=1
ok|redis-readers-and-a-writer-beside|raise|-DLOSSES=0 -DN=3 -DREADER=2 -DMOST=3
ok|redis-readers-lose-their-data|raise|-DLOSSES=1 -DN=3 -DREADER=2 -DMOST=3
ok|redis-fails-over|raise|-DLOSSES=0 -DFAILOVERS=1 -DREADER=2 -DMOST=4
bad|redis-reader-with-the-last-writers-token|raise|-DLOSSES=0 -DFAILOVERS=1 -DREADER=2 -DMOST=4 -DM_LASTTOKEN
bad|redis-reader-that-left-is-inside-again|raise|-DLOSSES=0 -DFAILOVERS=1 -DREADER=2 -DMOST=4 -DM_LEFTBEHIND
bad|redis-readers-with-tokens-of-their-own|raise|-DLOSSES=0 -DN=3 -DREADER=2 -DMOST=3 -DM_OWNTOKENS
bad|redis-first-reader-keeps-the-token|raise|-DLOSSES=0 -DN=3 -DREADER=2 -DMOST=3 -DM_FIRSTKEEPS
bad|redis-readers-token-not-raised|raise|-DLOSSES=1 -DN=3 -DREADER=2 -DMOST=2 -DM_RAISEALONE
bad|redis-token-not-raised|raise|-DM_NORAISE
bad|redis-raised-token-not-kept|raise|-DM_NOKEEP
bad|fence-takes-a-smaller-token|raise|-DM_NOTOKEN
bad|fence-row-not-locked|raise|-DM_UNLOCKED
LIST
}

build() { # MODEL OPTIONS COMPILER-OPTIONS
  spin -a $2 "$here/$1.pml" >spin.log 2>&1 && gcc $3 -DSAFETY -DNOREDUCE -DVECTORSZ=512 -DMEMLIM="$memory" -w -o pan pan.c 2>gcc.log
}

one() { # EXPECTED|NAME|MODEL|OPTIONS
  local expected name model options found states depth verdict work
  IFS='|' read -r expected name model options <<<"$1"
  work=$(mktemp -d); cd "$work" || exit 1
  if [ "$expected" = ok ]; then
    build "$model" "$options" "-O1" && ./pan -E -m4000000 >pan.log 2>&1
  else
    build "$model" "$options" "-O0 -DBFS" && ./pan -E >pan.log 2>&1
  fi
  found=$(grep -o 'errors: [0-9]*' pan.log 2>/dev/null | grep -o '[0-9]*$')
  states=$(awk '/states, stored/ {print $1}' pan.log 2>/dev/null)
  depth=$(grep -o 'depth reached [0-9]*' pan.log 2>/dev/null | grep -o '[0-9]*$')
  verdict=WRONG
  if [ "$expected" = ok ]; then
    [ "$found" = 0 ] && ! grep -qE 'not completed|too small|out of memory' pan.log && verdict=verified
  else
    [ "${found:-0}" -gt 0 ] && ! grep -q 'is too small\|!(small)' pan.log && verdict=refuted
  fi
  printf '%-9s %-38s states %-9s depth %s\n' "$verdict" "$name" "${states:-?}" "${depth:-?}"
  cd /; rm -rf "$work"
  [ "$verdict" != WRONG ]
}

trace() {
  local expected name model options work
  IFS='|' read -r expected name model options <<<"$(list | grep "^[a-z]*|$1|")"
  work=$(mktemp -d); cd "$work" || exit 1
  build "$model" "$options" "-O0 -DBFS" && ./pan -E >pan.log
  ./pan -r ./*.trail 2>/dev/null | sed '/^spin: trail ends/,$d' | grep -vE '^ *[0-9]+:|^#|^$|^MSC|^ *[a-z0-9_]+\[?.*\]? = ' | head -80
  cd /; rm -rf "$work"
}

if [ "${1:-}" = --one ]; then one "$2"; exit; fi
if [ "${1:-}" = -t ]; then trace "$2"; exit; fi
start=$(date +%s)
chosen=$(if [ $# -gt 0 ]; then for name; do list | grep "^[a-z]*|$name|"; done; else list; fi)
printf '%s\n' "$chosen" | tr '\n' '\0' | xargs -0 -P "$jobs" -n 1 "$0" --one
bad=$?
echo "$(printf '%s\n' "$chosen" | wc -l) searches in $(($(date +%s) - start)) s: $([ $bad = 0 ] && echo 'all as expected' || echo 'NOT as expected')"
[ $bad = 0 ]
