# shellcheck shell=bash
# Whether this machine will do, and what it lacks: system packages, Node.

# A figure of a profile in the catalogue, such as disk_mb. "auto" can be the smallest one.
need_of() {
  local catalog name=${1/auto/starter}
  catalog=$(<"$source_folder/models/catalog.json")
  [[ ${catalog//$'\n'/} =~ \{[^{}]*\"name\":\ \"$name\"[^{}]*\"$2\":\ ([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

check_machine() {
  step 'Check the machine'
  case $(uname -sm) in
    'Linux x86_64') arch=x64 ;;
    'Linux aarch64') arch=arm64 ;;
    *) fail "Linux on x86-64 or arm64 is needed, not $(uname -sm)" ;;
  esac
  if [ $arch = x64 ] && ! grep -qw avx2 /proc/cpuinfo; then note 'this CPU has no AVX2: recognition will be several times slower'; fi
  local nearest=$prefix free_mb ram_mb disk_mb memory_mb
  disk_mb=$(need_of "$profile" disk_mb)
  memory_mb=$(need_of "$profile" memory_mb)
  while [ ! -d "$nearest" ]; do nearest=$(dirname "$nearest"); done
  free_mb=$(df -Pm "$nearest" | awk 'NR == 2 { print $4 }')
  [ "$free_mb" -ge "$disk_mb" ] || fail "$disk_mb MB of disk are needed under $prefix, $free_mb are free"
  ram_mb=$(awk '/^MemTotal/ { print int($2 / 1024) }' /proc/meminfo)
  [ "$ram_mb" -ge "$memory_mb" ] || fail "the $profile profile needs $memory_mb MB of memory, this machine has $ram_mb MB"
  find_gpu
  note "GPU: ${gpu:-none found, everything runs on the CPU}"
  if [[ $profile == gpu* && -z $gpu ]]; then fail "the $profile profile needs a graphics card with its driver; use --profile cpu"; fi
  note "$(nproc) cores, $ram_mb MB of memory, $free_mb MB of disk"
}

# With --profile auto the program that was just built chooses, before models are downloaded.
choose_profile() {
  local said line
  [ "$profile" = auto ] || return 0
  step 'Choose a profile'
  if [ -n "$dry" ]; then
    note 'would run: oakvoice doctor --choose-profile'
    return
  fi
  said=$(oakvoice doctor --choose-profile) || fail 'no profile was chosen; the line above says why, or name one with --profile'
  while read -r line; do note "$line"; done <<<"$said"
  read -r _ profile <<<"$said"
  check_profile
}

install_packages() {
  step 'System packages'
  local need missing=()
  for need in g++:g++ tar:tar bzip2:bzip2 openssl:openssl; do
    command -v "${need%%:*}" >/dev/null || missing+=("${need##*:}")
  done
  if ! node_is_new && ! command -v npm >/dev/null; then missing+=(npm); fi
  if [ ${#missing[@]} -eq 0 ]; then
    note 'all there'
    return
  fi
  command -v apt-get >/dev/null || fail "install ${missing[*]} first (there is no apt-get here)"
  run apt_get update || fail 'apt-get update failed: check the network and /etc/apt'
  note "${missing[*]}"
  run apt_get install -y --no-install-recommends "${missing[@]}" || fail "apt-get could not install ${missing[*]}"
}
apt_get() {
  local said
  said=$(DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 2>&1) || { printf '%s\n' "$said" | tail -20 >&2; return 1; }
}

# Debian's Node may be too old; the npm registry has newer ones as packages.
install_node() {
  if ! node_is_new; then
    step 'Node 22'
    run claim node
    run mkdir -p "$prefix/node"
    run npm install "${npm_options[@]}" --prefix "$prefix/node" node@22 || fail 'Node 22 could not be had from the npm registry'
    hash -r
  fi
  node=$(command -v node || echo "$prefix/node/node_modules/node/bin/node")
}
# The service sees neither /home nor /root, where a version manager may keep Node.
node_is_new() {
  local found
  found=$(command -v node) || return 1
  [[ $found$(realpath "$found") != *@(/home|/root)/* ]] &&
    node -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a === 20 && +b >= 19) ? 0 : 1)'
}
