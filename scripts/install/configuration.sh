# shellcheck shell=bash
# The configuration and TLS. New files end in .new until the program accepts them: see switch.sh.

# An interrupted installation knows its folder again by this file. Only root may change it, as it says where root works.
begin_configuration() {
  [ -e "$configuration" ] || [ -L "$configuration" ] || echo '# Made by the installer, yours from now on: docs/operations.md has every field.' >"$configuration"
  chmod go-w "$configuration"
}

configure() {
  step "Configuration in $etc"
  run rm -f "$etc/tls/cert.pem.new" "$etc/tls/key.pem.new"
  if [ -n "$cert" ]; then
    run take_certificate
  elif [ -n "$self_signed" ] && [ ! -e "$etc/tls/cert.pem" ]; then
    run make_certificate || fail 'openssl could not make a certificate'
  fi
  run own_key
  run write_configuration
  run check_configuration || fail "$configuration is as it was; the line above says what the program refuses"
}

write_configuration() {
  local new=$configuration.new
  cp -p "$configuration" "$new"
  set_field "$new" host "\"$host\""
  set_field "$new" port "$port"
  set_field "$new" data_dir "\"$data\""
  set_field "$new" profile "$profile"
  if [ -e "$etc/tls/cert.pem" ] || [ -e "$etc/tls/cert.pem.new" ]; then
    if ! has_field tls; then
      end_last_line "$new"
      printf 'tls:\n  cert_file: %s\n  key_file: %s\n' "$etc/tls/cert.pem" "$etc/tls/key.pem" >>"$new"
    fi
  fi
}
set_field() {
  [ "$(field "$2" '')" != "${3//\"/}" ] || return 0
  sed -i "/^$2:/d" "$1"
  end_last_line "$1"
  echo "$2: $3" >>"$1"
  note "$2: $3"
}
end_last_line() { sed -i "\$a\\" "$1"; }

# The program reads the new files and listens for a moment. A port that its own server may hold, or that only systemd may
# open, is left out.
check_configuration() {
  local settings=("OAKVOICE_CONFIG=$configuration.new" "HOME=$data")
  if [ "$port" = "$(field port '')" ] || [ "$port" -lt 1024 ]; then settings+=(OAKVOICE_PORT=0); fi
  if [ -e "$etc/tls/cert.pem.new" ]; then
    settings+=("OAKVOICE_TLS_CERT_FILE=$etc/tls/cert.pem.new" "OAKVOICE_TLS_KEY_FILE=$etc/tls/key.pem.new")
  fi
  as_service env "${settings[@]}" "$node" "$built/dist/src/main.js" check --listen >/dev/null
}

# In the output of "keys list", the state follows the time of creation. All input is read: with pipefail a closed pipe is a failure.
has_active_key() { grep -E '[0-9]Z +active( |$)' >/dev/null; }

page_address() {
  local scheme=http name=$host
  if has_field tls; then scheme=https; fi
  if [[ $host =~ ^(0\.0\.0\.0|::)$ ]]; then name=$(hostname); elif [[ $host == *:* ]]; then name="[$host]"; fi
  echo "$scheme://$name:$port/"
}

take_certificate() {
  check_certificate
  install -m 0644 "$cert" "$etc/tls/cert.pem.new"
  install -m 0640 -g "$user" "$key" "$etc/tls/key.pem.new"
}
make_certificate() {
  (umask 077 && openssl req -x509 -newkey rsa:2048 -nodes -days 825 -subj "/CN=$(hostname)" \
    -addext "subjectAltName=DNS:$(hostname),DNS:localhost,IP:127.0.0.1" -keyout "$etc/tls/key.pem.new" -out "$etc/tls/cert.pem.new" 2>/dev/null) &&
    chmod 0644 "$etc/tls/cert.pem.new"
}
# A link is the operator's: its target keeps owner and mode.
own_key() {
  local file
  for file in "$etc/tls/key.pem" "$etc/tls/key.pem.new"; do
    if [ -f "$file" ] && [ ! -L "$file" ]; then chgrp "$user" "$file" && chmod 0640 "$file"; fi
  done
}
