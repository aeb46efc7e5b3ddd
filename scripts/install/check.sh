# shellcheck shell=bash
# Checks before anything changes: each option, the options against each other, and against the installation that is there.

check_options() {
  local name
  if [ "$systemd" = auto ] && [ ! -d /run/systemd/system ]; then systemd=no; fi
  [ -n "$dry" ] || [ "$(id -u)" = 0 ] || fail 'run it as root (sudo), or with --dry-run'
  check_folders
  check_user
  if [ -n "$uninstall" ]; then
    for name in profile bundle npm-cache accept-licences host port cert key self-signed; do
      [ -z "${given[--$name]:-}" ] || fail "--$name and --uninstall exclude each other: leave one out"
    done
    return
  fi
  [ -z "$purge" ] || fail '--purge goes with --uninstall: add it, or leave --purge out'
  for name in "${names[@]}"; do
    [ ! -e "$prefix/$name" ] || is_listed "$name" ||
      fail "$prefix/$name is not Oakvoice's: move it away, or name another --prefix"
  done
  check_values
  check_tls
  check_files
  check_bundle
  check_system
}

# A person's login must not become the service's user, nor be removed with it.
check_user() {
  ! id "$user" >/dev/null 2>&1 || [ -n "$(service_user)" ] ||
    fail "the user $user may log in: the service needs the name; rename that user, or set its shell to /usr/sbin/nologin"
}

check_values() {
  check_profile
  [[ $port =~ ^[1-9][0-9]{0,4}$ && $port -le 65535 ]] || fail "$(source_of port) is a number from 1 to 65535, not $port"
  # An IPv4 or IPv6 address, or a name: no other sign comes into the configuration.
  [[ ${#host} -le 253 && $host =~ ^([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9.]+)?)$ ]] ||
    fail "$(source_of host) is an IP address or a host name, not $host"
}

check_profile() {
  [[ $profile =~ ^(auto|starter|(cpu|gpu)(-large)?)$ ]] ||
    fail "$(source_of profile) is auto, starter, cpu, cpu-large, gpu or gpu-large, not $profile"
}

# The server refuses these pairs, so the installer must not write them.
check_tls() {
  if [[ -n $cert && -z $key || -z $cert && -n $key ]]; then fail '--cert and --key go together'; fi
  [[ -z $cert || -z $self_signed ]] || fail '--cert and --self-signed exclude each other: leave one out'
  if [[ -n $cert$self_signed ]] && has_field tls && ! grep -qsF "$etc/tls/cert.pem" "$configuration"; then
    fail "$configuration: tls names files of your own; change it there, or remove it and give the option again"
  fi
  if is_loopback || [[ -n $cert$self_signed || -e $etc/tls/cert.pem ]] || has_field tls; then return 0; fi
  [ "$(field allow_insecure '')" = true ] ||
    fail "$(source_of host) $host is reachable from other machines and needs TLS: add --self-signed, or --cert and --key (or, behind a proxy that ends TLS, allow_insecure: true in $configuration)"
}
is_loopback() { [[ $host == localhost || $host == ::1 || $host =~ ^127(\.[0-9]{1,3}){3}$ ]]; }
has_field() { grep -qsE "^$1:" "$configuration"; }

check_files() {
  local file name
  for file in "$cert" "$key" "$bundle"; do
    [[ -z $file || -f $file && -r $file ]] || fail "$file is not there or cannot be read"
  done
  for name in bundle npm_cache cert key; do
    [[ ${!name} != *[![:print:]]* ]] || fail "--${name//_/-} ${!name}: use no line breaks and control characters"
  done
  if [ -n "$npm_cache" ]; then
    [ "$npm_cache" != / ] || fail '--npm-cache /: name a folder'
    file=$(dirname "$npm_cache")
    [ -r "$file" ] || fail "$file is not there or cannot be read"
  fi
  if [ -n "$cert" ] && command -v openssl >/dev/null; then check_certificate; fi
}
check_certificate() {
  [ "$(openssl x509 -in "$cert" -noout -pubkey 2>&1)" = "$(openssl pkey -in "$key" -pubout -passin pass: 2>&1)" ] ||
    fail "$key is not the key of $cert, or one of them is not a PEM file without a passphrase"
}

check_bundle() {
  if [[ $profile != starter && -z $accept && ! -t 0 && ! -e $data/models ]]; then
    fail "--profile $profile: its models have licences of their own; --accept-licences accepts them"
  fi
  if [[ -n $bundle && $profile = auto ]]; then fail '--bundle holds the models of one profile: name it with --profile'; fi
  # Root's folders are closed to the service's user: better now than after a long build.
  if [ -n "$bundle" ] && [ "$(id -u)" = 0 ] && ! setpriv --reuid=65534 --regid=65534 --clear-groups test -r "$bundle"; then
    fail "the service's user cannot read $bundle: put it where everybody may read, such as /srv or /tmp"
  fi
}

# The units and the command, whose names others may have taken.
check_system() {
  if [ -e "$command" ] && [ ! -L "$command" ]; then note "$command is not Oakvoice's and stays: use $prefix/oakvoice"; fi
  check_writable "$command"
  if [ "$systemd" = no ]; then return; fi
  local slot
  is_our_unit "$single_unit" "$prefix/program"
  check_writable "$single_unit"
  check_writable "$current_link"
  for slot in "${slots[@]}"; do is_our_unit "$units/oakvoice-$slot.service" "$prefix/program-$slot"; done
}
check_writable() {
  local folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  [ "$(id -u)" != 0 ] || [ -w "$folder" ] || fail "$1 cannot be written; check the file system of $folder"
}
is_our_unit() {
  [ ! -e "$1" ] || grep -qsF " $2/dist/src/main.js" "$1" ||
    fail "$1 does not serve $prefix: move it away, or give --no-systemd"
}
