#!/usr/bin/env bash
# Installs Oakvoice on Debian or Ubuntu: program, service user, models, key, TLS, systemd unit; then proves that it talks.
# Safe to run again: what is there stays, what is missing is made. See --help and docs/operations.md.
set -euo pipefail
# The service's user must be able to read what root makes here, on hardened boxes too.
umask 022

usage() {
  cat <<'HELP'
scripts/install.sh [options]            installs, or brings an installation up to date
scripts/install.sh --uninstall [--purge]

  --profile starter|cpu|gpu   which models (default starter: they ship; cpu and gpu are downloaded)
  --bundle FILE               models from a bundle made by "oakvoice models bundle": no download
  --npm-cache FOLDER          keep npm's packages here; what is here needs no registry, all of it no network
  --accept-licences           of the models that are downloaded
  --host ADDRESS              where to listen (default 127.0.0.1; given later on, it is changed: so with profile, port, data)
  --port PORT                 (default 8787)
  --cert FILE --key FILE      TLS with your certificate
  --self-signed               TLS with a certificate made here
  --prefix FOLDER             the program (default /opt/oakvoice)
  --data FOLDER               models, keys, voices (default /var/lib/oakvoice)
  --etc FOLDER                configuration (default /etc/oakvoice)
  --no-systemd                no unit; for containers (also when systemd does not run)
  --skip-self-test            do not talk to it at the end
  --dry-run                   say what would be done, do nothing
  --uninstall                 remove program, unit, command and user; --purge: configuration and data too;
                              system packages stay
HELP
}

profile='' bundle='' npm_cache='' accept='' host='' port='' cert='' key='' self_signed=''
prefix=/opt/oakvoice data='' etc=/etc/oakvoice systemd=auto self_test=yes dry='' uninstall='' purge=''
user=oakvoice
unit=/etc/systemd/system/oakvoice.service
command=/usr/local/bin/oakvoice
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

step() { printf '==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
fail() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}
# Runs a command, or says that it would be run.
run() {
  if [ -n "$dry" ]; then note "would run: $*"; else "$@"; fi
}

while [ $# -gt 0 ]; do
  case $1 in
    --profile) profile=${2:?}; shift ;;
    --bundle) bundle=$(realpath "${2:?}"); shift ;;
    --npm-cache) npm_cache=$(realpath "${2:?}"); shift ;;
    --host) host=${2:?}; shift ;;
    --port) port=${2:?}; shift ;;
    --cert) cert=$(realpath "${2:?}"); shift ;;
    --key) key=$(realpath "${2:?}"); shift ;;
    --prefix) prefix=${2:?}; shift ;;
    --data) data=${2:?}; shift ;;
    --etc) etc=${2:?}; shift ;;
    --accept-licences) accept=yes ;;
    --self-signed) self_signed=yes ;;
    --no-systemd) systemd=no ;;
    --skip-self-test) self_test=no ;;
    --dry-run) dry=yes ;;
    --uninstall) uninstall=yes ;;
    --purge) purge=yes ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; fail "unknown option $1" ;;
  esac
  shift
done

# What is not said again stays as the configuration has it; what is said is written there.
configuration=$etc/oakvoice.yaml
field() { sed -n "s/^$1: *//p" "$configuration" 2>/dev/null | head -1 || true; }
wanted=()
for name in host port profile; do
  if [ -n "${!name}" ]; then wanted+=("$name: ${!name}"); fi
done
if [ -n "$data" ]; then wanted+=("data_dir: $data"); fi
host=${host:-$(field host)} port=${port:-$(field port)} profile=${profile:-$(field profile)} data=${data:-$(field data_dir)}
host=${host:-127.0.0.1} port=${port:-8787} profile=${profile:-starter} data=${data:-/var/lib/oakvoice}

[[ $profile =~ ^(starter|cpu|gpu)$ ]] || fail "--profile is starter, cpu or gpu, not $profile"
[[ $port =~ ^[0-9]{1,5}$ && $port -le 65535 ]] || fail "--port is a number up to 65535, not $port"
if [[ -n $cert && -z $key || -z $cert && -n $key ]]; then fail '--cert and --key go together'; fi
for folder in "$prefix" "$data" "$etc"; do
  [[ $folder == /?* ]] || fail "$folder must be a full path, and not /"
done
# Its owner is changed, and --purge removes it: only where it is Oakvoice's own.
is_foreign() { [ -d "$1" ] && [ -n "$(ls -A --ignore=lost+found "$1")" ] && [ ! -e "$1/$2" ]; }
if is_foreign "$data" voices; then fail "--data $data holds something else: name a folder for Oakvoice alone"; fi
if [ -n "$purge" ] && is_foreign "$etc" oakvoice.yaml; then fail "--etc $etc holds something else: nothing was removed"; fi
if [ "$systemd" = auto ] && [ ! -d /run/systemd/system ]; then systemd=no; fi
[ -n "$dry" ] || [ "$(id -u)" = 0 ] || fail 'run it as root (sudo), or with --dry-run'

if [ -n "$uninstall" ]; then
  step 'Uninstall'
  if [ "$systemd" != no ] && [ -e "$unit" ]; then
    run systemctl disable --quiet --now oakvoice.service
    run rm -f "$unit"
    run systemctl daemon-reload
  fi
  if [ -z "$dry" ] && id "$user" >/dev/null 2>&1 && [ -n "$(find /proc -maxdepth 1 -user "$user")" ]; then
    fail "processes of $user still run: stop the server first"
  fi
  if [ "$(readlink "$command")" = "$prefix/oakvoice" ]; then run rm -f "$command"; fi
  run rm -rf "$prefix"/{program,program.new,program.old,node,npm-cache,oakvoice}
  if [ -d "$prefix" ]; then run rmdir --ignore-fail-on-non-empty "$prefix"; fi
  if [ -n "$purge" ]; then
    run rm -rf "$etc" "$data"
  else
    note "kept, as root's: $etc $data (--purge removes them)"
    # The user's number may become somebody else's.
    for folder in "$etc" "$data"; do
      if [ -d "$folder" ]; then run chown -R root:root "$folder"; fi
    done
  fi
  if id "$user" >/dev/null 2>&1; then run userdel "$user"; fi
  note 'done'
  exit 0
fi

step 'Check the machine'
case $(uname -sm) in
  'Linux x86_64') arch=x64 ;;
  'Linux aarch64') arch=arm64 ;;
  *) fail "Linux on x86-64 or arm64 is needed, not $(uname -sm)" ;;
esac
if [ $arch = x64 ] && ! grep -qw avx2 /proc/cpuinfo; then note 'this CPU has no AVX2: recognition will be several times slower'; fi
declare -A disk_mb=([starter]=2500 [cpu]=5500 [gpu]=8500) memory_mb=([starter]=1500 [cpu]=4000 [gpu]=6000)
nearest=$prefix
while [ ! -d "$nearest" ]; do nearest=$(dirname "$nearest"); done
free_mb=$(df -Pm "$nearest" | awk 'NR == 2 { print $4 }')
[ "$free_mb" -ge "${disk_mb[$profile]}" ] || fail "${disk_mb[$profile]} MB of disk are needed under $prefix, $free_mb are free"
ram_mb=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
[ "$ram_mb" -ge "${memory_mb[$profile]}" ] || fail "the $profile profile needs ${memory_mb[$profile]} MB of memory, this box has $ram_mb"
gpu=''
if command -v nvidia-smi >/dev/null && gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1); then
  note "GPU: $gpu"
else
  gpu=''
  note 'no GPU found: everything runs on the CPU'
  if [ "$profile" = gpu ]; then fail 'the gpu profile needs an NVIDIA GPU with its driver (nvidia-smi shows none); use --profile cpu'; fi
fi
note "$(nproc) cores, $ram_mb MB of memory, $free_mb MB of disk"

# As root's folders are not for others: better now than after a long build.
if [ -n "$bundle" ] && [ "$(id -u)" = 0 ] && ! setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$bundle"; then
  fail "the service's user could not read $bundle: put it where everybody may read, such as /srv or /tmp"
fi

step 'System packages'
PATH=$prefix/node/node_modules/node/bin:$PATH
missing=()
for need in g++:g++ tar:tar bzip2:bzip2 openssl:openssl; do
  command -v "${need%%:*}" >/dev/null || missing+=("${need##*:}")
done
node_is_new() { command -v node >/dev/null && node -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a === 20 && +b >= 19) ? 0 : 1)'; }
if ! node_is_new && ! command -v npm >/dev/null; then missing+=(npm); fi
apt_get() {
  local said
  said=$(DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 2>&1) || { printf '%s\n' "$said" | tail -20 >&2; return 1; }
}
if [ ${#missing[@]} -gt 0 ]; then
  command -v apt-get >/dev/null || fail "install ${missing[*]} first (there is no apt-get here)"
  run apt_get update || fail 'apt-get update failed: check the network and /etc/apt'
  note "installing ${missing[*]}"
  run apt_get install -y --no-install-recommends "${missing[@]}" || fail "apt-get could not install ${missing[*]}"
else
  note 'all there'
fi
# A cache of its own, gone at the end: what npm fetches is 700 MB.
npm_options=(--no-audit --no-fund --loglevel=error --prefer-offline --cache "${npm_cache:-$prefix/npm-cache}")
if ! node_is_new; then
  # Debian's Node is too old; the npm registry has newer ones as packages.
  step 'Node 22'
  run mkdir -p "$prefix/node"
  run npm install "${npm_options[@]}" --prefix "$prefix/node" node@22 || fail 'Node 22 could not be had from the npm registry'
  hash -r
fi
node=$(command -v node || echo "$prefix/node/node_modules/node/bin/node")

step "User $user"
if id "$user" >/dev/null 2>&1; then note 'there'; else run useradd --system --home-dir "$data" --no-create-home --shell /usr/sbin/nologin "$user"; fi

step "Program in $prefix"
program=$prefix/program staging=$prefix/program.new
parts=(package.json package-lock.json .npmrc tsconfig.json tsconfig.build.json LICENSE NOTICE README.md src scripts bench models voices docs)
# What the installed program depends on: with the same stamp there is nothing to do.
make_stamp() {
  cd "$source_folder"
  find "${parts[@]}" -type f -print0 | sort -z | xargs -0 sha256sum
  "$node" --version 2>/dev/null || true
  echo "$arch $gpu"
  grep -m1 '^flags' /proc/cpuinfo || true
}
stamp=$(make_stamp | sha256sum | cut -d' ' -f1)
copy_program() { tar -C "$source_folder" -cf - "${parts[@]}" | tar -C "$staging" -xf -; }
in_staging() { (cd "$staging" && "$@"); }
slim() {
  local modules=$staging/node_modules before after other
  before=$(du -sm "$staging" | cut -f1)
  find "$modules"/@node-llama-cpp -mindepth 1 -maxdepth 1 ! -name "linux-$arch*" -exec rm -rf {} +
  if [ -z "$gpu" ]; then rm -rf "$modules"/@node-llama-cpp/*-cuda* "$modules"/@node-llama-cpp/*-vulkan*; fi
  for other in darwin win32; do rm -rf "$modules"/onnxruntime-node/bin/napi-v*/"$other"; done
  find "$modules"/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d ! -name "$arch" -exec rm -rf {} +
  rm -rf "$modules"/whisper.rn/{ios,android,lib,src,jest} "$staging"/build/native/objects
  after=$(du -sm "$staging" | cut -f1)
  note "$after MB (without $((before - after)) MB that this box cannot use)"
}
switch_program() {
  rm -rf "$program.old"
  if [ -d "$program" ]; then mv "$program" "$program.old"; fi
  echo "$stamp" >"$staging/.stamp"
  mv "$staging" "$program"
  rm -rf "$program.old"
}
if [ -e "$program/.stamp" ] && [ "$(cat "$program/.stamp")" = "$stamp" ]; then
  note 'there, and the same'
else
  run rm -rf "$staging"
  run mkdir -p "$staging"
  run copy_program
  run in_staging npm ci "${npm_options[@]}" || fail 'npm ci failed; the lines above say why'
  run in_staging npm run --silent build || fail 'the program did not compile'
  run in_staging npm prune --omit=dev --ignore-scripts "${npm_options[@]}"
  run slim
  run switch_program
fi
write_command() {
  cat >"$prefix/oakvoice" <<COMMAND
#!/bin/sh
# Oakvoice's command line, as the service's user and with the service's configuration. Made by the installer.
export OAKVOICE_CONFIG="\${OAKVOICE_CONFIG:-$etc/oakvoice.yaml}" HOME="$data"
case \$(id -un) in
  $user) exec "$node" "$program/dist/src/main.js" "\$@" ;;
  root) exec setpriv --reuid=$user --regid=$user --init-groups "$node" "$program/dist/src/main.js" "\$@" ;;
  *) echo 'oakvoice: run it as root or as $user (sudo oakvoice ...)' >&2; exit 1 ;;
esac
COMMAND
}
run write_command
# The source may have been cloned under a stricter umask.
run chmod -R a+rX,go-w "$prefix"
run chmod 0755 "$prefix/oakvoice"
if [ ! -e "$command" ] || [ -L "$command" ]; then run ln -sfn "$prefix/oakvoice" "$command"; else note "$command is somebody else's: use $prefix/oakvoice"; fi
run rm -rf "$prefix/npm-cache"

step "Configuration in $etc"
run mkdir -p "$etc/tls" "$data/voices"
if [ -n "$cert" ]; then
  run install -m 0644 "$cert" "$etc/tls/cert.pem"
  run install -m 0640 -g "$user" "$key" "$etc/tls/key.pem"
elif [ -n "$self_signed" ] && [ ! -e "$etc/tls/cert.pem" ]; then
  run openssl req -x509 -newkey rsa:2048 -nodes -days 825 -subj "/CN=$(hostname)" -addext "subjectAltName=DNS:$(hostname),DNS:localhost,IP:127.0.0.1" \
    -keyout "$etc/tls/key.pem" -out "$etc/tls/cert.pem" 2>/dev/null || fail 'openssl could not make a certificate'
fi
own_files() {
  chown -R "$user:$user" "$data"
  chmod 0750 "$data"
  # After an uninstall the user may come back with another number.
  if [ -e "$etc/tls/key.pem" ]; then chgrp "$user" "$etc/tls/key.pem" && chmod 0640 "$etc/tls/key.pem"; fi
}
write_configuration() {
  local line
  if [ ! -e "$configuration" ]; then
    echo '# Made by the installer, yours from now on: docs/operations.md has every field.' >"$configuration"
    wanted=("host: $host" "port: $port" "data_dir: $data" "profile: $profile")
  fi
  for line in "${wanted[@]}"; do
    sed -i -e "/^${line%%:*}:/d" -e "\$a\\" "$configuration"
    echo "$line" >>"$configuration"
    note "$line"
  done
  if [ -e "$etc/tls/cert.pem" ] && ! grep -q '^tls:' "$configuration"; then
    printf 'tls:\n  cert_file: %s\n  key_file: %s\n' "$etc/tls/cert.pem" "$etc/tls/key.pem" >>"$configuration"
  fi
}
run write_configuration
run own_files
oakvoice() { OAKVOICE_CONFIG="$configuration" "$prefix/oakvoice" "$@"; }

step "Models of the $profile profile"
model_options=(--profile "$profile")
if [ -n "$accept" ]; then model_options+=(--accept-licences); fi
if [ -n "$bundle" ]; then model_options+=(--from "$bundle"); fi
run oakvoice models install "${model_options[@]}" || fail 'the models were not installed; the line above says why'

step 'Key'
if [ -z "$dry" ] && oakvoice keys list | grep -q 'active$'; then
  note 'there are keys: sudo oakvoice keys list'
else
  run oakvoice keys create --name first
fi

if [ "$systemd" = no ]; then
  step 'No systemd: start it with'
  note 'oakvoice serve (as root: it becomes the service user)'
else
  step 'Service'
  write_unit() {
    cat >"$unit" <<UNIT
[Unit]
Description=Oakvoice, voice conversations on this box
Documentation=file://$program/docs/operations.md
After=network-online.target
Wants=network-online.target

[Service]
User=$user
Group=$user
Environment=OAKVOICE_CONFIG=$etc/oakvoice.yaml HOME=$data ORT_DISABLE_TELEMETRY=1
ExecStart=$node $program/dist/src/main.js
ExecReload=/bin/kill -HUP \$MAINPID
Restart=always
RestartSec=2
# Longer than limits.drain_timeout_seconds and limits.shutdown_timeout_seconds together.
TimeoutStopSec=40
KillMode=mixed
LimitNOFILE=65536
# A dump of a crashed engine would hold what callers said.
LimitCORE=0

NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=$data
ProtectHome=yes
ProtectProc=invisible
PrivateTmp=yes
PrivateDevices=$([ -n "$gpu" ] && echo no || echo yes)
RemoveIPC=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
RestrictNamespaces=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
CapabilityBoundingSet=
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
UMask=0077

[Install]
WantedBy=multi-user.target
UNIT
  }
  run write_unit
  run systemctl daemon-reload
  run systemctl enable --quiet oakvoice.service
  # When each model is loaded; until then the engines may fail, or the port be another's.
  start_service() {
    local since said
    since=$(date '+%Y-%m-%d %H:%M:%S')
    systemctl restart oakvoice.service
    for _ in $(seq 180); do
      said=$(journalctl --unit=oakvoice.service --output=cat --since="$since" 2>/dev/null || true)
      if grep -q '"msg":"listening"' <<<"$said"; then return; fi
      if grep '^oakvoice: ' <<<"$said" >&2; then return 1; fi
      sleep 1
    done
    return 1
  }
  run start_service || fail 'the service does not start: journalctl -u oakvoice'
fi

if [ "$self_test" = yes ]; then
  step 'Doctor'
  run oakvoice doctor || fail 'an engine does not start; the line above says which'
  step 'A spoken question'
  talk() {
    local folder heard
    folder=$(mktemp -d)
    chown "$user" "$folder"
    # A server of its own on a free port and without TLS, so that the test needs no certificate and disturbs no caller.
    printf 'port: 0\ndata_dir: %s\nprofile: %s\n' "$data" "$profile" >"$folder/test.yaml"
    heard=$(setpriv --reuid="$user" --regid="$user" --init-groups env OAKVOICE_CONFIG="$folder/test.yaml" HOME="$data" \
      "$node" "$program/dist/scripts/talk.js" --port 1 --out "$folder/reply.wav" | tail -1) || return 1
    note "${heard% in *}"
    [ "$(stat -c %s "$folder/reply.wav")" -gt 20000 ] || return 1
    rm -rf "$folder"
  }
  run talk || fail 'it did not answer; run "oakvoice doctor" and read the log'
fi
if [ -n "$dry" ]; then step 'Nothing was done'; else step 'Installed'; fi
