# shellcheck shell=bash
# What the operator may change: the configuration, TLS, the service's folders.

prepare_folders() {
  step "Folders $etc and $data"
  run mkdir -p "$etc"
  run begin_configuration
  run mkdir -p "$etc/tls" "$data/voices"
  run own_data
}

configure() {
  step "Configuration in $etc"
  if [ -n "$cert" ]; then
    run take_certificate "$cert" "$key"
  elif [ -n "$self_signed" ] && [ ! -e "$etc/tls/cert.pem" ]; then
    run make_certificate "$etc/tls/cert.pem" || fail 'openssl could not make a certificate'
  fi
  run own_key
  run write_configuration
}

# First of all: by this file an interrupted installation knows its folder again.
begin_configuration() {
  [ -e "$configuration" ] || echo '# Made by the installer, yours from now on: docs/operations.md has every field.' >"$configuration"
}
write_configuration() {
  set_field host "\"$host\""
  set_field port "$port"
  set_field data_dir "\"$data\""
  set_field profile "$profile"
  if [ -e "$etc/tls/cert.pem" ] && ! grep -q '^tls:' "$configuration"; then
    end_last_line
    printf 'tls:\n  cert_file: %s\n  key_file: %s\n' "$etc/tls/cert.pem" "$etc/tls/key.pem" >>"$configuration"
  fi
}

set_field() {
  [ "$(field "$1" '')" != "${2//\"/}" ] || return 0
  sed -i "/^$1:/d" "$configuration"
  end_last_line
  echo "$1: $2" >>"$configuration"
  note "$1: $2"
}

# In what "keys list" prints: behind the time it was made. What follows is not looked at, and all is read: with pipefail a
# list cut short would be a failure.
has_active_key() { grep -E '[0-9]Z +active( |$)' >/dev/null; }

end_last_line() { sed -i "\$a\\" "$configuration"; }

page_address() {
  local scheme=http name=$host
  if grep -q '^tls:' "$configuration"; then scheme=https; fi
  if [[ $host =~ ^(0\.0\.0\.0|::)$ ]]; then name=$(hostname); elif [[ $host == *:* ]]; then name="[$host]"; fi
  echo "$scheme://$name:$port/"
}

# Those that serve now are not given up for a pair that does not fit.
take_certificate() {
  [ "$(openssl x509 -in "$1" -noout -pubkey 2>&1)" = "$(openssl pkey -in "$2" -pubout -passin pass: 2>&1)" ] ||
    fail "$2 is not the key of $1, or one of them is no PEM file without a passphrase"
  install -m 0644 "$1" "$etc/tls/cert.pem"
  install -m 0640 -g "$user" "$2" "$etc/tls/key.pem"
}
make_certificate() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 825 -subj "/CN=$(hostname)" \
    -addext "subjectAltName=DNS:$(hostname),DNS:localhost,IP:127.0.0.1" -keyout "$(dirname "$1")/key.pem" -out "$1" 2>/dev/null
}
# After an uninstall the user may come back with another number.
own_data() { chown -R "$user:$user" "$data" && chmod 0750 "$data"; }
own_key() {
  if [ -e "$etc/tls/key.pem" ]; then chgrp "$user" "$etc/tls/key.pem" && chmod 0640 "$etc/tls/key.pem"; fi
}
