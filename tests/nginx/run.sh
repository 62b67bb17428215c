#!/usr/bin/env bash
# The lab behind nginx with TLS, as docs/classroom.md sets it up: who is a student and who the lecturer,
# whose address is believed, and that a run is seen as it goes. Takes a few seconds.
#
#     tests/nginx/run.sh [PROGRAM]      default: target/release/bvlab
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$(realpath "${1:-target/release/bvlab}")
here=$PWD/tests/nginx
place=$(mktemp -d)
processes=()
finish() {
  for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$place"
}
trap finish EXIT
fail() {
  echo "tests/nginx: $*" >&2
  cat "$place/error.log" >&2 2>/dev/null || true
  exit 1
}
for tool in nginx curl openssl; do
  PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || fail "there is no $tool"
done
export PATH=$PATH:/usr/sbin

# Waits, a minute at most, until a command succeeds.
await() {
  for _ in $(seq 600); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  fail "gave up waiting for: $*"
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

front=$(free_port)
site=https://lab.example.edu:$front
"$program" lab --no-open --port 0 --behind-proxy --url "$site" --code=wifi42 >"$place/lab" 2>&1 &
processes+=($!)
await grep -q 'press Ctrl-C to close it' "$place/lab"
back=$(sed -n '1s|.*127\.0\.0\.1:\([0-9]*\)/#lecturer=.*|\1|p' "$place/lab")
key=$(sed -n '1s|.*#lecturer=||p' "$place/lab")
[ -n "$back" ] && [ -n "$key" ] || fail "the lab did not say its address: $(cat "$place/lab")"
grep -q "^through the proxy: $site/#lecturer=$key\$" "$place/lab" || fail "the lecturer's address through the proxy is missing"
grep -q "^for the class:     $site/\$" "$place/lab" || fail "the class's address is missing"

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=lab.example.edu \
  -addext subjectAltName=DNS:lab.example.edu -keyout "$place/key.pem" -out "$place/cert.pem" 2>/dev/null
sed -e "s|DIR|$place|; s|FRONT|$front|; s|BACK|$back|" "$here/nginx.conf" >"$place/nginx.conf"
nginx -p "$place" -c "$place/nginx.conf" 2>"$place/error.log" &
processes+=($!)

# Asks through the proxy: `ask ADDRESS PATH [curl's options]` prints the answer and its status.
ask() {
  local from=$1 path=$2
  shift 2
  curl --silent --max-time 60 --interface "$from" --cacert "$place/cert.pem" \
    --resolve "lab.example.edu:$front:127.0.0.1" --write-out '\n%{http_code}' "$site$path" "$@"
}
expect() {
  local what=$1 pattern=$2 answer=$3
  grep -qE "$pattern" <<<"$answer" || fail "$what: expected $pattern, got: ${answer: -400}"
}
json='Content-Type: application/json'
join() { ask "$1" /api/join -H "$json" -H "Origin: $site" -d "{\"code\": \"$2\"}" "${@:3}"; }
await ask 127.0.0.1 /

expect "the page is served" '<title>bvlab</title>' "$(ask 127.0.0.2 /)"
expect "a stranger has to join" '^401$' "$(ask 127.0.0.2 /api/lab)"
expect "a wrong code is refused" '^401$' "$(join 127.0.0.2 wifi41)"
joined=$(join 127.0.0.2 'WiFi 42')
expect "the right code is taken" '^200$' "$joined"
student=$(sed -n 's|.*"key":"\([^"]*\)".*|\1|p' <<<"$joined")
expect "who has joined is a student" '"lecturer":false' "$(ask 127.0.0.2 /api/lab -H "X-Bvlab-Key: $student")"
expect "the key makes the lecturer" '"lecturer":true' "$(ask 127.0.0.3 /api/lab -H "X-Bvlab-Key: $key")"
expect "who comes from this machine is nobody yet" '^401$' "$(ask 127.0.0.1 /api/lab)"

# Addresses are told apart: one that guesses is held up, whatever it claims, and others are not.
for _ in $(seq 60); do join 127.0.0.4 guess >/dev/null; done
expect "guessing is limited" '^429$' "$(join 127.0.0.4 wifi42)"
expect "a claimed address changes nothing" '^429$' "$(join 127.0.0.4 wifi42 -H 'X-Forwarded-For: 192.0.2.1')"
expect "another address is free to join" '^200$' "$(join 127.0.0.5 wifi42)"

# A run that would take minutes is seen as it goes, also its short lines.
scene='{"lesson": "density-tradeoff", "set": ["run.resamples=2000000"]}'
set +o pipefail
begun=$(ask 127.0.0.3 /api/run --no-buffer -H "$json" -H "Origin: $site" -H "X-Bvlab-Key: $key" -d "$scene" |
  grep -m1 '"is":"progress"')
set -o pipefail
expect "a run is seen before its end" '"is":"progress"' "$begun"

# The key is in no log: it is no part of what a browser asks for.
! grep -q "$key" "$place/access.log" || fail "the lecturer's key is in the proxy's log"
expect "another site has no access" '^403$' "$(ask 127.0.0.2 /api/join -H "$json" -H 'Origin: https://evil.example' -d '{"code": "wifi42"}')"
echo "tests/nginx: the lab works behind nginx with TLS"
